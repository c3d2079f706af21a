import type { Inbox } from "@doorcode/core";
import type { JobsOptions, Queue } from "bullmq";
import { keyPrefixOf } from "../connection/client.ts";
import { createConnection } from "../connection/connection.ts";
import { createFailFastClient } from "../connection/duplicate-client.ts";
import { endConnection } from "../connection/end-with-client.ts";
import { warnOfEviction } from "../connection/eviction.ts";
import { type BullEngine, loadBull } from "./bull-engine.ts";
import { type BullInboxOptions, type CheckedInboxOptions, checkInboxOptions, inboxNames } from "./bull-options.ts";
import { startBullWorker } from "./bull-worker.ts";
import { type JobData, readData, readDeadLetter } from "./job-processor.ts";

/**
 * Creates an inbox on Redis or Valkey with BullMQ 6, for `createDoorcode({ webhooks: { inbox } })`.
 *
 * An event is acknowledged when the primary of Redis has stored it; a failover may lose the last ones, since Redis
 * replicates asynchronously. An event that cannot be stored in time is answered with 503, and the service sends it again.
 *
 * The inbox makes one connection of its own from `client`, and two for each worker; they end when `client` does.
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
 *   webhooks: { secret: process.env.WEBHOOK_SECRET, inbox: createBullInbox({ client }) },
 * });
 * const worker = await doorcode.work();
 */
export function createBullInbox(options: BullInboxOptions): Inbox {
  const checked = checkInboxOptions(options);
  const { client, name, timeoutSeconds, clock } = checked;
  const engine = loadBull();
  const prefix = keyPrefixOf(client) + checked.prefix;
  const own = createFailFastClient(client, timeoutSeconds * 1000, inboxNames);
  const connection = createConnection(own, { part: "inbox", timeoutSeconds, clock });
  warnOfEviction(own, "webhooks that were acknowledged");
  const queue: Queue<JobData> = new engine.Queue(name, {
    connection: own,
    prefix,
    defaultJobOptions: jobOptions(checked),
    // BullMQ checks the version once, at the start. If the answer is lost, it refuses every later command.
    skipVersionCheck: true,
  });
  // Each method reports its own errors.
  queue.on("error", () => undefined);

  let closed = false;
  function checkOpen(): void {
    if (closed) throw new TypeError("The inbox was closed: create another.");
  }
  async function ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    checkOpen();
    return connection.run(question);
  }

  return {
    async add({ key, body }) {
      await ask(() => queue.add("event", { body, replays: 0, stallsBefore: 0 }, { jobId: key }));
    },
    async work(handle, work) {
      checkOpen();
      return startBullWorker(engine, handle, work, { ...checked, prefix });
    },
    async buried(limit) {
      const jobs = await ask(() => queue.getFailed(0, limit - 1));
      return jobs.map(readDeadLetter);
    },
    async replay(key) {
      const job = await ask(() => queue.getJob(key));
      const state = await ask(async () => job?.getState());
      if (!job || (state !== "failed" && state !== "completed")) return false;
      const { body, replays } = readData(job);
      const data = { body, replays: replays + 1, stallsBefore: job.stalledCounter };
      const updated = await ask(() => unlessGone(engine, job.updateData(data)));
      return updated && ask(() => unlessGone(engine, job.retry(state)));
    },
    async close() {
      closed = true;
      await queue.close().catch(() => undefined);
      endConnection(own);
    },
  };
}

/** Stalls and failed handlers are counted by the kit, so BullMQ's own limit of attempts must never be reached. */
const unlimitedAttempts = 1_000_000_000;

function jobOptions({ keepSeconds, keepDeadLettersSeconds }: CheckedInboxOptions): JobsOptions {
  return {
    attempts: unlimitedAttempts,
    // The worker's `backoffStrategy` decides.
    backoff: { type: "custom" },
    removeOnComplete: { age: keepSeconds },
    removeOnFail: { age: keepDeadLettersSeconds },
    stackTraceLimit: 0,
  };
}

/** Returns false when the job was removed or is in another state, because another process has replayed it. */
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
