import { type Clock, wait } from "@doorcode/core/store";

/**
 * Serialization failure and deadlock: PostgreSQL has rolled everything back and asks for a repetition. Where the setting
 * `default_transaction_isolation` is `serializable`, two writers of one row regularly cause the first.
 */
const conflicts: readonly unknown[] = ["40001", "40P01"];

const maxPauseMilliseconds = 50;

/** Tells whether PostgreSQL asks for a repetition. A query builder may have wrapped PostgreSQL's error in its own. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && conflicts.includes(error.code)) || isConflict(error.cause);
}

/** Waits for a random time, so that the same two do not meet again. */
export function pauseAfterConflict(clock: Clock): Promise<void> {
  return wait(clock, Math.random() * maxPauseMilliseconds);
}
