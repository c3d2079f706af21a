import type { DeadLetterEntry, ErrorSummary, InboxHandler, InboxVerdict } from "@doorcode/core/inbox";
import type { BackoffStrategy, Job } from "bullmq";
import type { BullEngine } from "./bull-engine.ts";

/** The data of a job. The id of the job is the key of the entry. */
export interface JobData {
  /** The body of the entry. */
  readonly body: string;
  /** How often the entry was replayed. */
  readonly replays: number;
  /** The job's `stalledCounter` at the last replay, since BullMQ never resets it. */
  readonly stallsBefore: number;
}

/** What the message of a {@link RetryError} has. */
interface StoredFailures {
  readonly failures: number;
  readonly replays: number;
}

/** An event whose workers died more often than this is taken to be what kills them. */
const maxStalls = 20;

/**
 * Creates the function that BullMQ calls for each job: it gives the entry to the handler and carries out the verdict.
 *
 * An error makes BullMQ move the job and store the message of the error with it, in one script that changes nothing once
 * the worker has lost the job's lock. So the number of failures is in that message: `job.updateData` checks no lock, and
 * a worker that was stalled would overwrite what its successor has counted.
 */
export function createJobProcessor({ UnrecoverableError }: BullEngine, handle: InboxHandler) {
  const deadLetter = (error: ErrorSummary) => new UnrecoverableError(JSON.stringify(error));

  return async (job: Job<JobData>): Promise<void> => {
    const { body, replays, stallsBefore } = readData(job);
    if (job.stalledCounter - stallsBefore > maxStalls) throw deadLetter(workersDied);
    const failures = readFailures(job, replays);
    const verdict = await handle({ key: job.id ?? "", body, failures, replayed: replays > 0 });
    if (verdict.action === "retry") throw new RetryError(verdict, replays);
    if (verdict.action === "dead_letter") throw deadLetter(verdict.error);
  };
}

const workersDied: ErrorSummary = {
  name: "WorkerDied",
  code: undefined,
  message: `More than ${maxStalls} workers died or stood still while they handled this event.`,
};

/** Makes BullMQ hand a job out again, after the pause of {@link backoffStrategy}. */
class RetryError extends Error {
  readonly pauseMilliseconds: number;

  constructor({ failures, afterSeconds }: Extract<InboxVerdict, { action: "retry" }>, replays: number) {
    super(JSON.stringify({ failures, replays } satisfies StoredFailures));
    this.pauseMilliseconds = Math.round(afterSeconds * 1000);
  }
}

/** The pause after a failure of BullMQ itself, such as a completion that Redis rejected. */
const engineFailureMilliseconds = 5000;

/** Returns the pause before a job is handed out again, in milliseconds. */
export const backoffStrategy: BackoffStrategy = (_attempts, _type, error) =>
  error instanceof RetryError ? error.pauseMilliseconds : engineFailureMilliseconds;

/** Reads the data of a job. A job that another program added becomes an entry with an empty body, which no handler gets. */
export function readData({ data }: Job<unknown>): JobData {
  return isJobData(data) ? data : { body: "", replays: 0, stallsBefore: 0 };
}

/** Checked by hand: each event is read as a job, and a schema takes a multiple of the time. */
function isJobData(data: unknown): data is JobData {
  if (typeof data !== "object" || data === null) return false;
  const { body, replays, stallsBefore } = data as Readonly<Record<string, unknown>>;
  return typeof body === "string" && Number.isSafeInteger(replays) && Number.isSafeInteger(stallsBefore);
}

/** Reads the number of failures that a {@link RetryError} has stored since the last replay. */
function readFailures({ failedReason }: Job, replays: number): number {
  // Parsing an empty text throws, and most jobs have never failed.
  if (!failedReason) return 0;
  const { failures, replays: replaysThen } = parseObject(failedReason);
  return Number.isSafeInteger(failures) && replaysThen === replays ? Number(failures) : 0;
}

/** Reads a job that has failed for good. Where BullMQ itself has failed it, the reason is plain text. */
export function readDeadLetter(job: Job<JobData>): DeadLetterEntry {
  return {
    key: job.id ?? "",
    body: readData(job).body,
    error: readError(job.failedReason) ?? { name: "QueueError", code: undefined, message: job.failedReason },
    failedAtMilliseconds: job.finishedOn ?? 0,
  };
}

function readError(failedReason: string): ErrorSummary | undefined {
  const { name, code, message } = parseObject(failedReason);
  if (typeof name !== "string" || typeof message !== "string") return undefined;
  return code === undefined || typeof code === "string" ? { name, code, message } : undefined;
}

/** Parses the text of an object. For any other text it returns an object without members. */
function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}
