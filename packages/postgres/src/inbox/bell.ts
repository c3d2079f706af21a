import type { Clock } from "@doorcode/core/clock";

/** Wakes whoever waits. */
export interface Bell {
  /** Wakes who waits now, else who waits next. */
  ring(): void;
  /** Waits until it rings, at most for that long. One waits at a time. */
  wait(seconds: number): Promise<void>;
}

/**
 * Creates a bell.
 *
 * One that a worker waits with for months: a race against a promise that stays open would keep something of each wait.
 */
export function createBell(clock: Clock): Bell {
  let hasRung = false;
  let wake: (() => void) | undefined;

  return {
    ring() {
      hasRung = true;
      wake?.();
    },
    async wait(seconds) {
      if (!hasRung) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const cancel = clock.schedule(seconds * 1000, resolve);
        await promise;
        cancel();
      }
      wake = undefined;
      hasRung = false;
    },
  };
}
