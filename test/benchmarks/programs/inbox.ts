import { createDoorcode, type MessageStatusEvent } from "@doorcode/core";
import type { Inbox, InboxHandler } from "@doorcode/core/inbox";
import { serveOperations } from "../measure/program.ts";
import { createDelivery, secret } from "./deliveries.ts";
import { openCandidate } from "./open-candidate.ts";

const [name = "", part = ""] = process.argv.slice(2);
const { store, createInbox, close } = await openCandidate(name);
const inbox = createInbox?.();
if (!inbox) throw new Error(`${name} has no inbox.`);
/** What the adding of each event waits for: by the id of its message, which the kit's handler gets, or by its key. */
const waiting = new Map<string, () => void>();
const isKit = part === "kit";

/** The kit's worker: once and in order, with a handler that does nothing. */
async function workWithKit(inbox: Inbox): Promise<() => Promise<void>> {
  const on = { "message.status.update": ({ data }: MessageStatusEvent) => waiting.get(data.message_id ?? "")?.() };
  const doorcode = createDoorcode({ store, webhooks: { secret, inbox, on } });
  await doorcode.work();
  return () => doorcode.close();
}

/** The handlers of an inbox that works without the kit. */
const handlers: Readonly<Record<string, InboxHandler>> = {
  /** Neither parsed, nor once, nor in order. */
  async engine({ key }) {
    waiting.get(key)?.();
    return { action: "complete" };
  },
  /** The least that drops what was handled before: the store is asked before each event, and told after it. */
  async marks({ key }) {
    await store.get([key]);
    waiting.get(key)?.();
    await store.put(key, "handled", { ttlSeconds: 7 * 24 * 60 * 60 });
    return { action: "complete" };
  },
};

async function workAlone(inbox: Inbox, handle: InboxHandler | undefined): Promise<() => Promise<void>> {
  if (!handle) throw new Error(`There is no handler ${part}.`);
  const worker = await inbox.work(handle, { concurrency: 10, onError: (error) => process.emitWarning(String(error)) });
  return async () => {
    await worker.stop({ limitSeconds: 5 });
    await inbox.close();
  };
}

const stop = isKit ? await workWithKit(inbox) : await workAlone(inbox, handlers[part]);

/**
 * Adds an event, and waits until a worker has handled it. The key is as long as a real one, and nothing is parsed for it: the mount has
 * done that, which the webhook's own rows measure. What BullMQ alone is given is not parsed either.
 */
async function passThrough(inbox: Inbox): Promise<boolean> {
  const { messageId, body } = createDelivery(1024);
  const key = messageId.padStart(64, "0");
  const id = isKit ? messageId : key;
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.set(id, resolve);
  await inbox.add({ key, body: body.toString() });
  await promise;
  return waiting.delete(id);
}

serveOperations(() => passThrough(inbox), {
  atOnce: 32,
  async close() {
    await stop();
    await close();
  },
});
