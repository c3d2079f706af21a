import type { Clock } from "@doorcode/core/clock";
import TinyQueue from "tinyqueue";
import { maxTimeoutMilliseconds } from "../state/record.ts";
import type { ApplicationClock } from "./application-clock.ts";

/** Work that waits for an instant. */
export interface Timer {
  /** Unix milliseconds on the clock of the application. */
  readonly dueMilliseconds: number;
  /** Returns false after a cancellation. The timer is then ignored. */
  isWanted(): boolean;
  /** Does the work. It returns before the next timer runs. */
  run(): void;
}

/** Timers by their instant. Timers of the same instant run in the order in which they were added. */
export interface TimerQueue {
  /** Adds a timer. Returns true when it is now the first. */
  add(timer: Timer): boolean;
  /** Returns the instant of the first timer; undefined when there is none. */
  nextDueMilliseconds(): number | undefined;
  /** Runs the timers that are due, and those that become due meanwhile. */
  runDue(now: () => number): void;
}

interface Entry {
  readonly timer: Timer;
  readonly number: number;
}

/** Creates an empty queue. */
export function createTimerQueue(): TimerQueue {
  const queue = new TinyQueue<Entry>([], byInstant);
  let number = 0;
  const first = () => {
    while (queue.peek()?.timer.isWanted() === false) queue.pop();
    return queue.peek()?.timer;
  };

  return {
    add(timer) {
      queue.push({ timer, number: number++ });
      return first() === timer;
    },
    nextDueMilliseconds: () => first()?.dueMilliseconds,
    runDue(now) {
      for (let timer = first(); timer && timer.dueMilliseconds <= now(); timer = first()) {
        queue.pop();
        timer.run();
      }
    },
  };
}

function byInstant(left: Entry, right: Entry): number {
  return left.timer.dueMilliseconds - right.timer.dueMilliseconds || left.number - right.number;
}

/** The machine timer that runs the timers of an application when they are due. */
export interface WakeUp {
  /** Sets the machine timer for the first timer of the queue. Call it after the clock or the first timer changed. */
  arm(): void;
  /** Cancels the machine timer until the next `arm`. */
  cancel(): void;
  /** Cancels the machine timer for good. */
  stop(): void;
}

/** Creates the machine timer of a queue. A clock that is held or stopped runs no timer, except for what is due already. */
export function createWakeUp(machine: Clock, clock: ApplicationClock, queue: TimerQueue): WakeUp {
  let stopped = false;
  let cancelTimer = () => {};
  const arm = () => {
    cancelTimer();
    const dueMilliseconds = queue.nextDueMilliseconds();
    if (stopped || clock.isHeld() || dueMilliseconds === undefined) return;
    const delayMilliseconds = Math.max(0, dueMilliseconds - clock.now());
    if (delayMilliseconds > 0 && clock.rate() === 0) return;
    const timeout = delayMilliseconds === 0 ? 0 : Math.ceil(delayMilliseconds / clock.rate());
    cancelTimer = machine.schedule(Math.min(timeout, maxTimeoutMilliseconds), wake);
  };
  const wake = () => {
    // A callback of the program may throw. The timers after it must run all the same.
    try {
      queue.runDue(clock.now);
    } finally {
      arm();
    }
  };

  return {
    arm,
    cancel: () => cancelTimer(),
    stop() {
      stopped = true;
      cancelTimer();
    },
  };
}

/** The callbacks that a program has scheduled on the clock of an application. They do not survive the process. */
interface CallbackTimers {
  schedule(delayMilliseconds: number, callback: () => void): () => void;
  shift(milliseconds: number): void;
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
