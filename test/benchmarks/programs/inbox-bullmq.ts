import { Redis } from "ioredis";
// BullMQ is installed for the package that uses it.
import { loadBull } from "../../../packages/redis/src/inbox/bull-engine.ts";
import { startRedis } from "../../support/redis-server.ts";
import { serveOperations } from "../measure/program.ts";
import { createDelivery } from "./deliveries.ts";

const { Queue, Worker } = loadBull();
const server = await startRedis();
const connection = new Redis(server.url, { maxRetriesPerRequest: null });
const waiting = new Map<string, () => void>();
let added = 0;

/** https://docs.bullmq.io/guide/connections, with the kit's concurrency and time of keeping, and an empty handler. */
const queue = new Queue<{ readonly body: string }>("webhooks", {
  connection,
  defaultJobOptions: { removeOnComplete: { age: 7200 } },
});
const worker = new Worker("webhooks", async ({ id = "" }) => waiting.get(id)?.(), { connection, concurrency: 10 });
await worker.waitUntilReady();

async function passThrough(): Promise<boolean> {
  const jobId = `event-${added++}`;
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.set(jobId, resolve);
  await queue.add("event", { body: createDelivery(1024).body.toString() }, { jobId });
  await promise;
  return waiting.delete(jobId);
}

serveOperations(passThrough, {
  atOnce: 32,
  async close() {
    await worker.close();
    await queue.close();
    connection.disconnect();
    await server.stop();
  },
});
