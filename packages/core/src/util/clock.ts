/** A source of time. Tests pass one that they move by hand. */
export interface Clock {
  /** Returns the current instant as Unix milliseconds. */
  now(): number;
  /** Runs `task` once after the delay, and returns a function that cancels it. */
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

/** Schedules a task as {@link Clock.schedule} does. The machine's clock does not keep the process alive for it. */
export function scheduleInBackground(clock: Clock, delayMilliseconds: number, task: () => void): () => void {
  if (clock !== systemClock) return clock.schedule(delayMilliseconds, task);
  const timer = setTimeout(task, delayMilliseconds).unref();
  return () => clearTimeout(timer);
}

/** Returns the seconds since an instant of the clock, at least 0: a machine's clock may be set back. */
export function secondsSince(clock: Clock, startedAtMilliseconds: number): number {
  return Math.max(0, clock.now() - startedAtMilliseconds) / 1000;
}

/** Resolves after the delay, on the given clock. */
export function wait(clock: Clock, delayMilliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(delayMilliseconds, resolve);
  });
}
