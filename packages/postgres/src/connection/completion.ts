/** The end of a transaction, and how long it may take. */
export interface Completion {
  /** Aborts as the given one does, and when the end takes too long. */
  readonly signal: AbortSignal;
  /** The time runs from now on; called again, from the first call on. */
  begin(): void;
  clear(): void;
}

/**
 * Limits the end of a transaction whose work is given up by a signal: once the work is done nobody renews its lease, and
 * the signal never aborts, so that an answer that is lost on its way would be waited for for ever.
 */
export function createCompletion(signal: AbortSignal, seconds: number): Completion {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: AbortSignal.any([signal, over.signal]),
    begin() {
      timer ??= setTimeout(() => {
        const message = `PostgreSQL did not end the transaction of the handler within ${seconds} s; nobody knows whether it stands.`;
        over.abort(new Error(message));
      }, seconds * 1000);
    },
    clear: () => clearTimeout(timer),
  };
}
