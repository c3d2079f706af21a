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

/** Runs a task when the present turn of the event loop is over, and returns a function that cancels it. */
export function afterTurn(task: () => void): () => void {
  const turnEnd = setImmediate(task);
  return () => clearImmediate(turnEnd);
}

/**
 * Schedules a task as {@link Clock.schedule} does, for work that is mostly done before the present turn of the event loop ends:
 * the clock learns of the task only then.
 *
 * A timer that is set and cleared in each of several places costs a webhook more than its signature does.
 *
 * @param nowMilliseconds - the current instant of the clock, if the caller has just read it.
 */
export function scheduleAfterTurn(
  clock: Clock,
  delayMilliseconds: number,
  task: () => void,
  nowMilliseconds: number = clock.now(),
): () => void {
  const due = nowMilliseconds + delayMilliseconds;
  let cancelTask: (() => void) | undefined;
  const turnEnd = setImmediate(() => {
    // Never longer than the delay: the machine's clock may have been set back. Node warns of a time that has passed.
    cancelTask = clock.schedule(Math.max(0, Math.min(delayMilliseconds, due - clock.now())), task);
  });
  return () => (cancelTask ? cancelTask() : clearImmediate(turnEnd));
}

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
