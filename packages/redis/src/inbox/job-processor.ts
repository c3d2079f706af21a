import type { DeadLetterEntry, ErrorSummary, InboxHandler } from "@doorcode/core/inbox";
import { readRecord } from "@doorcode/core/store";
import type { BackoffStrategy, Job } from "bullmq";
import { z } from "zod";
import type { BullEngine } from "./bull-engine.ts";

/** The data of a job. The id of the job is the key of the entry. */
export interface JobData {
  readonly body: string;
  /** How often the entry was replayed. */
  readonly replays: number;
  /** The stalls before the last replay. BullMQ never resets the job's `stalledCounter`. */
  readonly stallsBefore: number;
}

const jobData = z.object({ body: z.string(), replays: z.int(), stallsBefore: z.int() });

/** The message of a {@link RetryError}, as JSON. */
const storedCounts = z.object({ failures: z.int(), stallsBefore: z.int(), replays: z.int() });

type StoredCounts = z.infer<typeof storedCounts>;

/** The message of an error that makes a job a dead letter, as JSON. */
const storedError = z.object({ name: z.string(), code: z.string().optional(), message: z.string() });

/**
 * Creates the function that BullMQ calls for each job: it gives the entry to the handler and carries out the verdict. An error makes BullMQ
 * move the job and store the error's message, in one script that changes nothing once the worker has lost the job's lock. So the counts are
 * in that message: `job.updateData` checks no lock, and a worker that was stalled would overwrite what its successor has counted.
 */
export function createJobProcessor({ UnrecoverableError }: BullEngine, handle: InboxHandler) {
  const deadLetter = (error: ErrorSummary) => new UnrecoverableError(JSON.stringify(error));

  return async (job: Job<JobData>): Promise<void> => {
    const { body, ...data } = readData(job);
    const { failures, stallsBefore, replays } = readCounts(job, data);
    const deaths = job.stalledCounter - stallsBefore;
    const verdict = await handle({ key: job.id ?? "", body, failures, replayed: replays > 0, deaths });
    if (verdict.action === "retry") {
      const notCounted = verdict.keepsDeaths ? stallsBefore : job.stalledCounter;
      throw new RetryError(verdict.afterSeconds, { failures: verdict.failures, stallsBefore: notCounted, replays });
    }
    if (verdict.action === "dead_letter") throw deadLetter(verdict.error);
  };
}

/** Makes BullMQ hand a job out again, after the pause of {@link backoffStrategy}. */
class RetryError extends Error {
  readonly pauseMilliseconds: number;

  constructor(afterSeconds: number, counts: StoredCounts) {
    super(JSON.stringify(counts));
    this.pauseMilliseconds = Math.round(afterSeconds * 1000);
  }
}

/** The pause after a failure of BullMQ itself, such as a completion that Redis rejected. */
const engineFailureMilliseconds = 5000;

/** Returns the pause before a job is handed out again, in milliseconds. */
export const backoffStrategy: BackoffStrategy = (_attempts, _type, error) =>
  error instanceof RetryError ? error.pauseMilliseconds : engineFailureMilliseconds;

/** Reads the data of a job. A job of another program becomes an entry with an empty body, which no handler gets. */
export function readData({ data }: Job<unknown>): JobData {
  return jobData.safeParse(data).data ?? { body: "", replays: 0, stallsBefore: 0 };
}

/** Reads the counts that a {@link RetryError} has stored since the last replay. */
function readCounts({ failedReason }: Job, data: Omit<JobData, "body">): StoredCounts {
  const stored = readRecord(storedCounts, failedReason);
  return stored?.replays === data.replays ? stored : { failures: 0, ...data };
}

/** Reads a job that has failed for good. Where BullMQ itself has failed it, the reason is plain text. */
export function readDeadLetter(job: Job<JobData>): DeadLetterEntry {
  const { name, code, message } = readRecord(storedError, job.failedReason) ?? {
    name: "QueueError",
    message: job.failedReason,
  };
  return {
    key: job.id ?? "",
    body: readData(job).body,
    error: { name, code, message },
    failedAtMilliseconds: job.finishedOn ?? 0,
  };
}
