import type { AttemptCause, AttemptChanges } from "../state/delivery.ts";

/** An attempt that waits for its turn. It is data, because hundreds of thousands may wait. */
export interface QueuedAttempt {
  /** The delivery to attempt. */
  readonly deliveryId: string;
  /** The reason for the attempt. */
  readonly cause: AttemptCause;
  /** The changes of the attempt, if it has some. */
  readonly changes?: AttemptChanges;
  /** Called after the attempt was recorded, before it counts as complete. */
  readonly recorded?: () => void;
  /** Called with the error of an attempt that could not be made. Without it the error is an unhandled rejection. */
  readonly failed?: (error: unknown) => void;
}

/** The attempts of one application. They start in the order in which they were added. */
export interface AttemptQueue {
  /** Adds an attempt. It starts after the present run of code, at the earliest. */
  add(attempt: QueuedAttempt): void;
  /** Resolves when none is waiting or in progress. */
  settled(): Promise<void>;
}

/** Gone places at the beginning of the list, from which on it is copied. */
const maxGone = 1_024;

/** Creates an empty queue. A waiting attempt has not started, so its own time limit has not either. */
export function createAttemptQueue(
  maxConcurrent: number,
  make: (attempt: QueuedAttempt) => Promise<void>,
): AttemptQueue {
  let waiting: QueuedAttempt[] = [];
  let gone = 0;
  let running = 0;
  let idle = Promise.withResolvers<void>();

  const take = (): QueuedAttempt | undefined => {
    const attempt = waiting[gone];
    if (attempt === undefined) return undefined;
    gone++;
    if (gone >= maxGone && gone * 2 >= waiting.length) {
      waiting = waiting.slice(gone);
      gone = 0;
    }
    return attempt;
  };
  const run = async (attempt: QueuedAttempt) => {
    try {
      await make(attempt);
      attempt.recorded?.();
    } catch (error) {
      if (!attempt.failed) throw error;
      attempt.failed(error);
    } finally {
      running--;
      startNext();
    }
  };
  const startNext = () => {
    while (running < maxConcurrent) {
      const next = take();
      if (next === undefined) break;
      running++;
      void run(next);
    }
    if (running > 0) return;
    idle.resolve();
    idle = Promise.withResolvers();
  };

  return {
    add(attempt) {
      waiting.push(attempt);
      queueMicrotask(startNext);
    },
    async settled() {
      while (running > 0 || gone < waiting.length) await idle.promise;
    },
  };
}
