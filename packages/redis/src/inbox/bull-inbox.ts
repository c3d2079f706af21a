import type { DeadLetterEntry, Inbox } from "@doorcode/core/inbox";
import type { Job, JobsOptions, Queue } from "bullmq";
import { createConnection } from "../connection/connection.ts";
import { disconnect } from "../connection/end-together.ts";
import { warnOfEviction } from "../connection/eviction.ts";
import { createKeepingClient, keyPrefixOf } from "./bull-clients.ts";
import { loadBull } from "./bull-engine.ts";
import { type JobData, putBack, readLastError } from "./bull-job.ts";
import { type BullInboxOptions, checkInboxOptions } from "./bull-options.ts";
import { startBullWorker } from "./bull-worker.ts";

/**
 * Creates an inbox on Redis or Valkey with BullMQ 6, for `createDoorcode({ webhooks: { inbox } })`.
 *
 * An event is acknowledged when the primary of Redis has it; a fail-over may lose the last ones, since Redis replicates
 * asynchronously. An event that cannot be kept in time is answered 503, and the service sends it again.
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
  const own = createKeepingClient(client, timeoutSeconds * 1000);
  const connection = createConnection(own, { asker: "inbox", timeoutSeconds, clock });
  warnOfEviction(own, "webhooks that were acknowledged");
  const queue: Queue<JobData> = new engine.Queue(name, {
    connection: own,
    prefix,
    defaultJobOptions: jobOptions(checked),
    // Asked once, at the start: with its answer lost, BullMQ would refuse everything from then on.
    skipVersionCheck: true,
  });
  // Each verb tells what is wrong.
  queue.on("error", () => undefined);

  let closed = false;
  /** Whoever waits for a closed inbox to come back waits in vain. */
  function ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    if (closed) throw closedError();
    return connection.ask(question);
  }

  return {
    async add({ key, body }) {
      await ask(() => queue.add("event", { body, failures: 0, replayed: false }, { jobId: key }));
    },
    async work(handle, work) {
      if (closed) throw closedError();
      return startBullWorker(engine, handle, work, { ...checked, prefix });
    },
    async deadLetters(limit) {
      const jobs = await ask(() => queue.getFailed(0, limit - 1));
      return jobs.map(readDeadLetter);
    },
    async replay(key) {
      const job = await ask(() => queue.getJob(key));
      const state = await ask(async () => job?.getState());
      if (!job || (state !== "failed" && state !== "completed")) return false;
      return ask(() => putBack(job, state));
    },
    async close() {
      closed = true;
      await queue.close().catch(() => undefined);
      disconnect(own);
    },
  };
}

function closedError(): TypeError {
  return new TypeError("The inbox was closed: create another.");
}

/** Failures of handlers are counted by the kit; what BullMQ repeats are failures of its own, such as a lost connection. */
function jobOptions({ keepSeconds, keepDeadLettersSeconds }: Required<BullInboxOptions>): JobsOptions {
  return {
    attempts: 1_000_000,
    backoff: { type: "fixed", delay: 5000 },
    removeOnComplete: { age: keepSeconds },
    removeOnFail: { age: keepDeadLettersSeconds },
    stackTraceLimit: 0,
  };
}

function readDeadLetter({ id = "", data, failedReason, finishedOn = 0 }: Job<JobData>): DeadLetterEntry {
  return { key: id, body: data.body, error: readLastError(failedReason), failedAtMilliseconds: finishedOn };
}
