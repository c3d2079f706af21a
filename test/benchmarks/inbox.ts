import { createDoorcode, type MessageStatusEvent } from "@doorcode/core";
import { createBullInbox, createRedisStore } from "@doorcode/redis";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { createDelivery, secret } from "./deliveries.ts";
import { serve } from "./measure.ts";

const [name = "", url = ""] = process.argv.slice(2);
const client = new Redis(url, { maxRetriesPerRequest: null });
/** Events that are under way, by the id of their message. */
const waiting = new Map<string, () => void>();

/** Once and in order, by the kit. */
async function openKit(): Promise<(id: string, body: string) => Promise<unknown>> {
  const inbox = createBullInbox({ client });
  const on = { "message.status.update": ({ data }: MessageStatusEvent) => waiting.get(data.message_id ?? "")?.() };
  await createDoorcode({ store: createRedisStore({ client }), webhooks: { secret, inbox, on } }).work();
  return (id, body) => inbox.add({ key: id.padStart(64, "0"), body });
}

/** Once, by hand: a worker that asks for the mark of a message before its handler, and sets it afterwards. */
async function openByHand(): Promise<(id: string, body: string) => Promise<unknown>> {
  const connection = client.duplicate();
  const queue = new Queue<string>("by hand", { connection, defaultJobOptions: { removeOnComplete: { age: 7200 } } });
  const handle = async ({ data }: { data: string }) => {
    const { message_id: id } = JSON.parse(data).data;
    if ((await client.get(`mark:${id}`)) !== null) return;
    waiting.get(id)?.();
    await client.set(`mark:${id}`, "handled", "EX", 604_800);
  };
  await new Worker("by hand", handle, { connection: client.duplicate(), concurrency: 10 }).waitUntilReady();
  return (id, body) => queue.add("event", body, { jobId: id });
}

const add = name === "kit" ? await openKit() : await openByHand();
const passThrough = async () => {
  const { id, body } = createDelivery();
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.set(id, resolve);
  await add(id, body.toString());
  await promise;
  waiting.delete(id);
};
serve("ready", passThrough, 32);
