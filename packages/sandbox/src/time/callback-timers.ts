import type { Timer } from "./timer-queue.ts";

/** The callbacks that a program has scheduled on the clock of an application. They do not survive the process. */
export interface CallbackTimers {
  /** Calls the callback after the delay. The returned function cancels it. */
  schedule(delayMilliseconds: number, callback: () => void): () => void;
  /** Moves all instants after the clock was set to another time, so that each callback keeps its remaining delay. */
  shift(milliseconds: number): void;
  /** Tells whether a callback has run since the last call of this function. */
  haveRun(): boolean;
}

interface ScheduledCallback {
  dueMilliseconds: number;
  readonly callback: () => void;
}

/**
 * Creates an empty set of callbacks.
 *
 * @param addTimer - adds a timer to the queue of the application.
 */
export function createCallbackTimers(now: () => number, addTimer: (timer: Timer) => void): CallbackTimers {
  const waiting = new Set<ScheduledCallback>();
  let ran = false;
  const enqueue = (scheduled: ScheduledCallback) => {
    const { dueMilliseconds } = scheduled;
    addTimer({
      dueMilliseconds,
      isWanted: () => waiting.has(scheduled) && scheduled.dueMilliseconds === dueMilliseconds,
      run() {
        waiting.delete(scheduled);
        ran = true;
        scheduled.callback();
      },
    });
  };

  return {
    schedule(delayMilliseconds, callback) {
      // As with every timer of JavaScript, an invalid delay counts as 0. NaN would block the queue forever.
      const scheduled = { dueMilliseconds: now() + Math.max(0, delayMilliseconds || 0), callback };
      waiting.add(scheduled);
      enqueue(scheduled);
      return () => waiting.delete(scheduled);
    },
    shift(milliseconds) {
      if (milliseconds === 0) return;
      for (const scheduled of waiting) {
        scheduled.dueMilliseconds += milliseconds;
        enqueue(scheduled);
      }
    },
    haveRun() {
      const answer = ran;
      ran = false;
      return answer;
    },
  };
}
