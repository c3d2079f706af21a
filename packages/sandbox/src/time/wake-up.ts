import type { Clock } from "@doorcode/core/store";
import { maxTimeoutMilliseconds } from "../primitives/time.ts";
import type { ApplicationClock } from "./application-clock.ts";
import type { TimerQueue } from "./timer-queue.ts";

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
