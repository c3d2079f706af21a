import type { ApplicationClock } from "./application-clock.ts";
import type { TimerQueue } from "./timer-queue.ts";
import type { WakeUp } from "./wake-up.ts";

/** The advances of an application's clock. One runs at a time, and the others follow in their order. */
export interface Advances {
  /**
   * Moves the clock forward, from timer to timer. Each timer runs at its own instant, and its consequences are complete
   * before the next one runs.
   *
   * Rejects with the error of a program's callback; the clock then runs on from that instant.
   */
  advance(milliseconds: number): Promise<void>;
  /** Ends the advances that were requested so far. The clock is left as it is. */
  end(): void;
  /** Ends all advances, including those that are requested later. */
  stop(): void;
}

/** The dependencies of {@link Advances}. */
export interface AdvancesDeps {
  /** The clock to move. */
  readonly clock: ApplicationClock;
  /** The timers to run on the way. */
  readonly queue: TimerQueue;
  /** Stopped during an advance, which runs the timers itself. */
  readonly wakeUp: WakeUp;
  /** Resolves when the consequences of a timer are complete. */
  readonly settle: () => Promise<void>;
}

/** Creates the advances of an application's clock. */
export function createAdvances({ clock, queue, wakeUp, settle }: AdvancesDeps): Advances {
  let last = Promise.resolve();
  // `end` replaces this object. An advance runs only as long as the object from its request is still the current one.
  let epoch = {};
  let stopped = false;

  const stepTo = async (endMilliseconds: number, isCurrent: () => boolean) => {
    const isDue = () => (queue.nextDueMilliseconds() ?? Number.POSITIVE_INFINITY) <= endMilliseconds;
    clock.holdAt(clock.now());
    await settle();
    while (isCurrent() && isDue()) {
      clock.holdAt(Math.max(clock.now(), queue.nextDueMilliseconds() ?? 0));
      queue.runDue(clock.now);
      await settle();
    }
    if (isCurrent()) clock.holdAt(endMilliseconds);
  };
  const run = async (milliseconds: number, isCurrent: () => boolean) => {
    if (!isCurrent()) return;
    wakeUp.cancel();
    try {
      await stepTo(clock.now() + milliseconds, isCurrent);
    } finally {
      if (isCurrent()) {
        clock.release();
        wakeUp.arm();
      }
    }
  };

  return {
    advance(milliseconds) {
      const requested = epoch;
      const advanced = last.then(() => run(milliseconds, () => !stopped && epoch === requested));
      // Only the caller sees an error of an advance. The next advance begins all the same.
      last = advanced.catch(() => {});
      return advanced;
    },
    end() {
      epoch = {};
    },
    stop() {
      stopped = true;
    },
  };
}
