import { setTimeout as pause } from "node:timers/promises";

/**
 * Serialization failure and deadlock: PostgreSQL has rolled everything back, and asks for the same once more. Under
 * `default_transaction_isolation = serializable` two writers of a row meet the first as a matter of course.
 */
const conflicts: readonly unknown[] = ["40001", "40P01"];

/** Tells whether the same is to be tried again; also by the error that a query builder has put around that of PostgreSQL. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && conflicts.includes(error.code)) || isConflict(error.cause);
}

const maxPauseMilliseconds = 50;

/** Waits by chance, so that those who met do not meet again. */
export async function pauseAfterConflict(): Promise<void> {
  await pause(Math.random() * maxPauseMilliseconds);
}
