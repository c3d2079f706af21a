import { parseEvent } from "@doorcode/core";

/** The handler of all programs, which does nothing. */
export async function handle(): Promise<void> {}

/** The least that a receiver does after it has verified a body: it parses, and calls the handler. */
export function handleBody(body: Buffer): Promise<void> | undefined {
  const event = JSON.parse(body.toString());
  return event.event === "message.status.update" ? handle() : undefined;
}

const keepMilliseconds = 7 * 24 * 60 * 60 * 1000;
const marks = new Map<string, { readonly key: string; readonly expiresAt: number }>();

/**
 * The least that a receiver does that drops duplicates: one look-up before the handler, and one mark after it. It keeps no order, takes no
 * lease, and gives its handler neither a signal nor a time limit.
 */
export async function handleBodyOnce(body: Buffer): Promise<void> {
  const event = parseEvent(body);
  if ("unreadable" in event || event.kind !== "message.status.update") return;
  const { message_id: id = "" } = event.data;
  const now = Date.now();
  const mark = marks.get(id);
  if (mark && mark.key === event.key && mark.expiresAt > now) return;
  await handle();
  marks.set(id, { key: event.key, expiresAt: now + keepMilliseconds });
}
