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

/** Waits until the work is done, at most for that long, and leaves no timer behind. Rejects as the work does. */
export async function within(clock: Clock, seconds: number, work: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const cancel = clock.schedule(seconds * 1000, resolve);
  try {
    await Promise.race([work, over]);
  } finally {
    cancel();
  }
}
