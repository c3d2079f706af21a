import type { InboxHandler, LastError } from "@doorcode/core";
import type { Job } from "bullmq";
import type { BullEngine } from "./bull-engine.ts";

/** An entry as a job holds it, under its key as the id. */
export interface JobData {
  readonly body: string;
  readonly failures: number;
  readonly replayed: boolean;
}

/** Creates what BullMQ calls for each job: hands the entry over, and carries out the verdict. */
export function createJobHandler(
  { DelayedError, UnrecoverableError }: BullEngine,
  handle: InboxHandler,
): (job: Job<JobData>, token?: string) => Promise<void> {
  return async (job, token) => {
    const verdict = await handle({ key: job.id ?? "", ...job.data });
    switch (verdict.act) {
      case "complete":
        return;
      case "again":
        if (verdict.failures !== job.data.failures) await job.updateData({ ...job.data, failures: verdict.failures });
        await job.moveToDelayed(Date.now() + verdict.afterSeconds * 1000, token);
        throw new DelayedError();
      case "bury":
        throw new UnrecoverableError(JSON.stringify(verdict.error));
    }
  };
}

/** Reads what {@link createJobHandler} wrote; anything else is BullMQ's own, which gives up a job whose workers died. */
export function readLastError(failedReason: string): LastError {
  const own: LastError = { name: "WorkerDied", code: undefined, message: failedReason };
  try {
    const { name, code, message }: Partial<LastError> = JSON.parse(failedReason);
    return typeof name === "string" && typeof message === "string" ? { name, code, message } : own;
  } catch {
    return own;
  }
}
