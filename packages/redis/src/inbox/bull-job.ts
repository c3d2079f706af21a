import type { ErrorSummary, InboxHandler, InboxVerdict, TakenEntry } from "@doorcode/core/inbox";
import type { Job, Worker } from "bullmq";
import type { BullEngine } from "./bull-engine.ts";

/** An entry as a job holds it, under its key as the id. */
export interface JobData {
  readonly body: string;
  readonly failures: number;
  readonly replayed: boolean;
}

/** What moves the jobs of a worker. */
type Backend = Pick<ReturnType<Worker["getBackend"]>, "moveToDelayed">;

/** Creates what BullMQ calls for each job: hands the entry over, and carries out the verdict. */
export function createJobHandler(
  { DelayedError, UnrecoverableError }: BullEngine,
  handle: InboxHandler,
  backend: () => Backend,
): (job: Job<JobData>, token?: string) => Promise<void> {
  return async (job, token = "") => {
    const entry = readEntry(job);
    const verdict = await handle(entry);
    switch (verdict.action) {
      case "complete":
        return;
      case "retry":
        await putOff(backend(), job, token, verdict);
        throw new DelayedError();
      case "dead_letter":
        throw new UnrecoverableError(JSON.stringify(verdict.error));
    }
  };
}

/**
 * Writes the failures and puts the job off, in one script that is refused when the lock is lost.
 *
 * `job.updateData` knows no lock: the late verdict of a worker that had stalled would write over what its successor counts.
 * And between two commands a worker may die, or the job be handed out.
 */
async function putOff(backend: Backend, job: Job<JobData>, token: string, verdict: Again): Promise<void> {
  const data: JobData = { ...job.data, failures: verdict.failures };
  await backend.moveToDelayed(job.id ?? "", Date.now(), Math.round(verdict.afterSeconds * 1000), token, {
    skipAttempt: true,
    fieldsToUpdate: { data: JSON.stringify(data) },
  });
}

type Again = Extract<InboxVerdict, { action: "retry" }>;

/** What somebody else put into the queue is no event, and is deadLetters as such; it must not come again and again. */
function readEntry({ id = "", data }: Job<Partial<JobData> | null>): TakenEntry {
  const { body, failures, replayed } = data ?? {};
  return { key: id, body: typeof body === "string" ? body : "", failures: failures ?? 0, replayed: replayed ?? false };
}

/** Reads what {@link createJobHandler} wrote; anything else is BullMQ's own, which gives up a job whose workers died. */
export function readLastError(failedReason: string): ErrorSummary {
  const own: ErrorSummary = { name: "WorkerDied", code: undefined, message: failedReason };
  try {
    const { name, code, message }: Partial<ErrorSummary> = JSON.parse(failedReason);
    return typeof name === "string" && typeof message === "string" ? { name, code, message } : own;
  } catch {
    return own;
  }
}

/** A job that can be handed out once more. */
export type FinishedState = "failed" | "completed";

/** Puts a finished job back; false when somebody else did, or it has been removed meanwhile. */
export async function putBack(job: Job<JobData>, state: FinishedState): Promise<boolean> {
  try {
    await job.updateData({ body: job.data.body, failures: 0, replayed: true });
    await job.retry(state, { resetAttemptsMade: true, resetAttemptsStarted: true });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && gone.includes(error.code)) return false;
    throw error;
  }
}

/** How BullMQ says that a job is not there, and that it is not in the state that it was in. */
const gone: readonly unknown[] = [-1, -3];
