import type { Clock } from "@doorcode/core/store";

/** The time limit for the end of a database transaction. */
export interface Completion {
  /** Aborts as the given signal does, and when the end takes too long. */
  readonly signal: AbortSignal;
  /** Starts the time limit; only the first call counts. */
  begin(): void;
  /** Removes the timer. */
  clear(): void;
}

/**
 * Limits the end of a transaction whose work a signal can end. Once the work is done, its lease is no longer renewed and the
 * signal never aborts: without this limit, a lost answer would be waited for without end.
 */
export function createCompletion(clock: Clock, seconds: number, signal: AbortSignal): Completion {
  const limit = new AbortController();
  let cancel: (() => void) | undefined;
  return {
    signal: AbortSignal.any([signal, limit.signal]),
    begin() {
      cancel ??= clock.schedule(seconds * 1000, () => {
        const message = `PostgreSQL did not end the transaction of the handler within ${seconds} s. It may have been committed.`;
        limit.abort(new Error(message));
      });
    },
    clear: () => cancel?.(),
  };
}
