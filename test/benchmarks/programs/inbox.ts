import { createDoorcode, parseEvent } from "@doorcode/core";
import type { Inbox, InboxHandler } from "@doorcode/core/inbox";
import { serveOperations } from "../measure/program.ts";
import { createDelivery, secret } from "./deliveries.ts";
import { openCandidate } from "./open-candidate.ts";

const [name = "", part = ""] = process.argv.slice(2);
const { store, createInbox, close } = await openCandidate(name);
const inbox = createInbox?.();
if (!inbox) throw new Error(`${name} has no inbox.`);
/** What the adding of each event waits for. */
const waiting = new Map<string, () => void>();
const stop = part === "kit" ? await workWithKit(inbox) : await workAlone(inbox);

/** The kit's worker: once and in order, with a handler that does nothing. */
async function workWithKit(inbox: Inbox): Promise<() => Promise<void>> {
  const handle = ({ key }: { readonly key: string }) => waiting.get(key)?.();
  const doorcode = createDoorcode({ store, webhooks: { secret, inbox, on: { "message.status.update": handle } } });
  await doorcode.work();
  return () => doorcode.close();
}

/** The inbox alone: neither parsed, nor once, nor in order. */
async function workAlone(inbox: Inbox): Promise<() => Promise<void>> {
  const handle: InboxHandler = async ({ key }) => {
    waiting.get(key)?.();
    return { action: "complete" };
  };
  const worker = await inbox.work(handle, { concurrency: 10, onError: (error) => process.emitWarning(String(error)) });
  return async () => {
    await worker.stop({ limitSeconds: 5 });
    await inbox.close();
  };
}

/** Adds an event, and waits until a worker has handled it. */
async function passThrough(inbox: Inbox): Promise<boolean> {
  const { body } = createDelivery(1024);
  const event = parseEvent(body);
  if ("unreadable" in event) return false;
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.set(event.key, resolve);
  await inbox.add({ key: event.key, body: body.toString() });
  await promise;
  return waiting.delete(event.key);
}

serveOperations(() => passThrough(inbox), {
  atOnce: 32,
  async close() {
    await stop();
    await close();
  },
});
