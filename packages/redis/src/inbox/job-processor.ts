import type { BuriedEntry, InboxHandler, LastError, TakenEntry, Verdict } from "@doorcode/core";
import type { BackoffStrategy, Job } from "bullmq";
import type { BullEngine } from "./bull-engine.ts";

/** The data of a job. The id of the job is the key of the entry. */
export interface JobData {
  readonly body: string;
  /** How often the entry was replayed. */
  readonly replays: number;
  /** BullMQ's count of stalls when the entry was last replayed; BullMQ never resets it. */
  readonly stallsBefore: number;
}

/** A job of the queue. Another program may have added it, so its data is not trusted. */
type UncheckedJob = Pick<Job<Partial<JobData> | null>, "id" | "data" | "failedReason" | "stalledCounter">;

/** An event whose workers died more often than this is taken to be what kills them. */
const maxStalls = 20;

/**
 * Creates the function that BullMQ calls for each job: it gives the entry to the handler and carries out the verdict.
 *
 * An error makes BullMQ move the job and store the message of the error with it, in one script that changes nothing once
 * the worker has lost the job's lock. So the number of failures is in that message: `job.updateData` checks no lock, and
 * a worker that was stalled would overwrite what its successor has counted.
 */
export function createJobProcessor(
  { UnrecoverableError }: BullEngine,
  handle: InboxHandler,
): (job: UncheckedJob) => Promise<void> {
  const deadLetter = (error: LastError) => new UnrecoverableError(JSON.stringify(error));

  return async (job) => {
    const { body, replays, stallsBefore } = readData(job);
    if (job.stalledCounter - stallsBefore > maxStalls) throw deadLetter(workersDied);
    const failures = readFailures(job, replays);
    const verdict = await handle({ key: job.id ?? "", body, failures, replayed: replays > 0 });
    if (verdict.act === "again") throw new RetryError(verdict, replays);
    if (verdict.act === "bury") throw deadLetter(verdict.error);
  };
}

const workersDied: LastError = {
  name: "WorkerDied",
  code: undefined,
  message: `More than ${maxStalls} workers died or stood still while they handled this event.`,
};

/** Makes BullMQ hand a job out again, after the pause of {@link backoffStrategy}. */
class RetryError extends Error {
  readonly pauseMilliseconds: number;

  constructor({ failures, afterSeconds }: Extract<Verdict, { act: "again" }>, replays: number) {
    super(JSON.stringify({ failures, replays }));
    this.pauseMilliseconds = Math.round(afterSeconds * 1000);
  }
}

/** The pause after a failure of BullMQ itself, such as a completion that Redis refused. */
const engineFailureMilliseconds = 5000;

/** Returns the pause before a job is handed out again, in milliseconds. */
export const backoffStrategy: BackoffStrategy = (_attempts, _type, error) =>
  error instanceof RetryError ? error.pauseMilliseconds : engineFailureMilliseconds;

/** Reads the data of a job. A job that another program added is an entry with an empty body, which no handler gets. */
export function readData({ data }: UncheckedJob): JobData {
  const { body, replays = 0, stallsBefore = 0 } = data ?? {};
  return { body: typeof body === "string" ? body : "", replays, stallsBefore };
}

/** Reads the number of failures that {@link RetryError} stored. What was counted before a replay is not counted again. */
function readFailures({ failedReason }: UncheckedJob, replays: number): TakenEntry["failures"] {
  const stored = readReason(failedReason);
  return stored.replays === replays && typeof stored.failures === "number" ? stored.failures : 0;
}

/** Reads a job that failed for good. */
export function readDeadLetter(job: UncheckedJob & Pick<Job, "finishedOn">): BuriedEntry {
  const { name, code, message } = readReason(job.failedReason);
  const isKits = typeof name === "string" && typeof message === "string";
  return {
    key: job.id ?? "",
    body: readData(job).body,
    error: isKits ? { name, code, message } : { name: "QueueError", code: undefined, message: job.failedReason },
    buriedAtMilliseconds: job.finishedOn ?? 0,
  };
}

/** Reads what the kit stored as the reason of a failure; nothing when the reason is BullMQ's own. */
function readReason(reason: string | undefined): Partial<LastError & { failures: number; replays: number }> {
  try {
    return Object(JSON.parse(reason ?? ""));
  } catch {
    return {};
  }
}
