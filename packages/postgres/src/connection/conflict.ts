import { type Clock, wait } from "@doorcode/core/store";

/**
 * Serialization failure and deadlock: PostgreSQL has rolled everything back and asks for a repetition. Where the setting
 * `default_transaction_isolation` is `serializable`, two writers of one row regularly cause the first.
 */
const conflicts: readonly unknown[] = ["40001", "40P01"];

const maxPauseMilliseconds = 50;

/** Tells whether PostgreSQL asks for a repetition. */
export function isConflict(error: unknown): boolean {
  return hasCode(error, conflicts);
}

/** Tells whether the session of a connection may not write. */
export function isReadOnly(error: unknown): boolean {
  return hasCode(error, ["25006"]);
}

/** Looks for a code of PostgreSQL. A query builder may have wrapped PostgreSQL's error in its own. */
function hasCode(error: unknown, codes: readonly unknown[]): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && codes.includes(error.code)) || hasCode(error.cause, codes);
}

/** Waits for a random time, so that the same two do not meet again. */
export function pauseAfterConflict(clock: Clock): Promise<void> {
  return wait(clock, Math.random() * maxPauseMilliseconds);
}
