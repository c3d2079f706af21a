import type { DeadLetterEntry, Inbox } from "@doorcode/core/inbox";
import type { JobsOptions, Queue } from "bullmq";
import { keyPrefixOf } from "../connection/client.ts";
import { type Connection, createConnection } from "../connection/connection.ts";
import { type BullEngine, loadBull } from "./bull-engine.ts";
import { type BullInboxOptions, type CheckedInboxOptions, checkInboxOptions } from "./bull-options.ts";
import { type BullWorker, createBullWorker } from "./bull-worker.ts";
import { defineDiscardScript } from "./discard-script.ts";
import { type JobData, readData, readDeadLetter } from "./job-processor.ts";

/**
 * Creates an inbox on Redis or Valkey with BullMQ 6, for `createDoorcode({ webhooks: { inbox } })`.
 *
 * An event is acknowledged when the primary of Redis has stored it; a failover may lose the last ones, since Redis
 * replicates asynchronously. An event that is not stored in time is answered with 503, and the service sends it again.
 *
 * The inbox makes one connection from `client`, and two for each worker. `doorcode.close()` ends them.
 *
 * @throws TypeError for a wrong option, and when `bullmq` is not installed.
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * import { createBullInbox, createRedisStore } from "@doorcode/redis";
 * import { Redis } from "ioredis";
 *
 * const client = new Redis(process.env.REDIS_URL ?? "redis://localhost:6379");
 * client.on("error", (error) => console.error(error.message));
 * const doorcode = createDoorcode({
 *   store: createRedisStore({ client }),
 *   service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
 *   webhooks: { secret: process.env.WEBHOOK_SECRET, inbox: createBullInbox({ client }) },
 * });
 * const worker = await doorcode.work();
 */
export function createBullInbox(options: BullInboxOptions): Inbox {
  const checked = checkInboxOptions(options);
  const engine = loadBull();
  const prefix = keyPrefixOf(checked.client) + checked.prefix;
  const connection = createConnection("inbox", checked);
  const redis = defineDiscardScript(connection.client);
  const workers: BullWorker[] = [];
  const queue: Queue<JobData> = new engine.Queue(checked.name, {
    connection: connection.client,
    prefix,
    defaultJobOptions: jobOptions(checked),
    // BullMQ checks the version once, at the start. If the reply is lost, it rejects every later command.
    skipVersionCheck: true,
  });
  // Each method reports its own errors.
  queue.on("error", () => undefined);

  return {
    async add({ key, body }) {
      await connection.run(() => queue.add("event", { body, replays: 0, stallsBefore: 0 }, { jobId: key }));
    },
    async work(handle, work) {
      connection.checkOpen();
      const worker = createBullWorker(engine, handle, work, { ...checked, prefix });
      workers.push(worker);
      await worker.ready();
      return worker;
    },
    deadLetters: (limit) => listDeadLetters(connection, queue, limit),
    findDeadLetters: (keys) => findDeadLetters(connection, queue, keys),
    async replay(key) {
      const job = await connection.run(() => queue.getJob(key));
      const state = await connection.run(async () => job?.getState());
      if (!job || (state !== "failed" && state !== "completed")) return false;
      const { body, replays } = readData(job);
      const data = { body, replays: replays + 1, stallsBefore: job.stalledCounter };
      const updated = await connection.run(() => unlessGone(engine, job.updateData(data)));
      return updated && connection.run(() => unlessGone(engine, job.retry(state)));
    },
    async discard(key) {
      const discard = () => redis.discardDeadLetter(queue.toKey("failed"), queue.toKey(key), key);
      return (await connection.run(discard)) === 1;
    },
    async counts() {
      const counts = await connection.run(() => queue.getJobCounts("waiting", "delayed", "active", "failed"));
      const { waiting = 0, delayed = 0, active = 0, failed = 0 } = counts;
      return { open: waiting + delayed + active, dead: failed };
    },
    async close() {
      connection.close();
      await Promise.all(workers.map((worker) => worker.close()));
      await queue.close().catch(() => undefined);
    },
  };
}

/** BullMQ reads each job with a separate command: thousands in one call would take longer than a call may. */
const jobsPerCall = 100;

async function listDeadLetters(connection: Connection, queue: Queue<JobData>, limit: number) {
  // By key: a job that fails meanwhile moves others into the next part.
  const letters = new Map<string, DeadLetterEntry>();
  for (let start = 0; start < limit; start += jobsPerCall) {
    const end = Math.min(start + jobsPerCall, limit) - 1;
    const jobs = await connection.run(() => queue.getFailed(start, end));
    for (const job of jobs) letters.set(job.id ?? "", readDeadLetter(job));
    if (jobs.length === 0) break;
  }
  return [...letters.values()];
}

async function findDeadLetters(connection: Connection, queue: Queue<JobData>, keys: readonly string[]) {
  // BullMQ answers with a job in any state, and looks for its state in the lists of the jobs that wait.
  const findJob = async (key: string) => {
    const failedAt = await connection.client.zscore(queue.toKey("failed"), key);
    return failedAt === null ? undefined : queue.getJob(key);
  };
  const jobs = await Promise.all(keys.map((key) => connection.run(() => findJob(key))));
  return jobs.flatMap((job) => (job ? readDeadLetter(job) : []));
}

function jobOptions({ keepSeconds, keepDeadLettersSeconds }: CheckedInboxOptions): JobsOptions {
  return {
    // The kit counts failures and stalls, so BullMQ's own limit must never be reached.
    attempts: 1_000_000_000,
    // The worker's `backoffStrategy` decides.
    backoff: { type: "custom" },
    removeOnComplete: { age: keepSeconds },
    removeOnFail: { age: keepDeadLettersSeconds },
    stackTraceLimit: 0,
  };
}

/** Returns false when the job was removed or is in another state, because another process has discarded or replayed it. */
async function unlessGone({ ErrorCode }: BullEngine, change: Promise<void>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === ErrorCode.JobNotExist || code === ErrorCode.JobNotInState) return false;
    throw error;
  }
}
