/** Where time comes from. Tests pass one that they move by hand. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `task` once after the delay. The function returned takes it back. */
  schedule(delayMilliseconds: number, task: () => void): () => void;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(delayMilliseconds, task) {
    const timer = setTimeout(task, delayMilliseconds);
    return () => clearTimeout(timer);
  },
};

/** Resolves after the delay, on the given clock. */
export function wait(clock: Clock, delayMilliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(delayMilliseconds, resolve);
  });
}
