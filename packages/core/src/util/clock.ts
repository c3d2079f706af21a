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

/** A point in time after which work is no longer waited for. */
export interface Deadline {
  /** True once the time is over. */
  readonly isOver: boolean;
  /** Settles as `work` does, or rejects with the deadline's error if the time is over first. */
  race<Result>(work: Promise<Result>): Promise<Result>;
  /** Cancels the deadline. Call it when the work is done, so that no timer is left behind. */
  clear(): void;
}

/** Starts a deadline. Zero seconds are over at the clock's next task; `createError` is called only when they are. */
export function createDeadline(clock: Clock, seconds: number, createError: () => Error): Deadline {
  const over = Promise.withResolvers<never>();
  // The time may be over while nothing is waited for.
  over.promise.catch(() => undefined);
  let isOver = false;
  const clear = clock.schedule(seconds * 1000, () => {
    isOver = true;
    over.reject(createError());
  });
  return {
    get isOver() {
      return isOver;
    },
    race: (work) => Promise.race([over.promise, work]),
    clear,
  };
}

/** Waits until the work is done, at most for that long, and leaves no timer behind. Rejects as the work does. */
export async function waitAtMost(clock: Clock, seconds: number, work: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const cancel = clock.schedule(seconds * 1000, resolve);
  try {
    await Promise.race([work, over]);
  } finally {
    cancel();
  }
}

/** Settles as the work does, or rejects with the signal's reason as soon as the signal aborts. */
export function orAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    // A signal that outlives the work must not collect a listener for each piece of it.
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Does work for at most so many seconds. After that its signal aborts with the error, and the promise rejects with it. */
export async function inTime<Result>(
  clock: Clock,
  seconds: number,
  createError: () => Error,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const cancel = clock.schedule(seconds * 1000, () => controller.abort(createError()));
  try {
    return await orAborted(controller.signal, work(controller.signal));
  } finally {
    cancel();
  }
}

/** A pause that can be cut short. */
export interface WakeUp {
  /** Ends the current pause; without one, the next pause ends immediately. */
  trigger(): void;
  /** Pauses for at most that long. Only one caller may pause at a time. */
  pause(seconds: number): Promise<void>;
}

/** Creates a wake-up. */
export function createWakeUp(clock: Clock): WakeUp {
  let next = Promise.withResolvers<void>();
  return {
    trigger: () => next.resolve(),
    async pause(seconds) {
      await waitAtMost(clock, seconds, next.promise);
      // Each pause has its own promise: races against one that stays open for months would leak memory.
      next = Promise.withResolvers<void>();
    },
  };
}
