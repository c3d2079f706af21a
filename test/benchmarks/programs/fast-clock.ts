import type { Clock } from "@doorcode/core/store";

/** So many times faster than the machine's clock: transactions and sessions of an hour end in three minutes. */
const factor = 20;

/** Creates a clock that has started at an instant of the machine's clock. Two processes with the same start agree on the time. */
export function createFastClock(startMilliseconds: number): Clock {
  return {
    now: () => startMilliseconds + (Date.now() - startMilliseconds) * factor,
    schedule(delayMilliseconds, task) {
      const timer = setTimeout(task, delayMilliseconds / factor);
      return () => clearTimeout(timer);
    },
  };
}
