import { parseEvent } from "@doorcode/core";
import { instant, messageEvent } from "../support/webhook-setup.ts";

/** A payload about a message. */
export type Payload = ReturnType<typeof messageEvent>;

/** The three statuses of a message, in the order in which they happened. */
export function statusesOf(messageId: string): readonly [queued: Payload, sent: Payload, delivered: Payload] {
  return [
    messageEvent("QUEUED", instant(1), messageId),
    messageEvent("SENT", instant(2), messageId),
    messageEvent("DELIVERED", instant(3), messageId),
  ];
}

/** Answers the key of the event of a payload, as its handler sees it. */
export function keyOf(payload: Payload): string {
  const event = parseEvent(new TextEncoder().encode(JSON.stringify(payload)));
  if ("unreadable" in event) throw new TypeError(event.unreadable);
  return event.key;
}
