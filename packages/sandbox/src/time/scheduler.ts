import { setImmediate } from "node:timers/promises";
import type { Clock } from "@doorcode/core/store";
import { maxTimeoutMilliseconds } from "../state/record.ts";
import type { ScheduledTask, Task } from "../state/schedule.ts";
import { type ApplicationClock, type ApplicationClockDeps, createApplicationClock } from "./clock.ts";
import { createTimerQueue, type Timer, type TimerQueue } from "./timer-queue.ts";

/** The scheduled work of all applications, each on its own clock. */
export interface Scheduler {
  of(applicationId: string): ApplicationScheduler;
  /** Returns the time of the application's clock, in Unix milliseconds. */
  now(applicationId: string): number;
  /** Schedules a task. It replaces the task that was scheduled with the same id. */
  schedule(applicationId: string, id: string, delayMilliseconds: number, task: Task): void;
  /** Cancels a task, if there is one with this id. */
  cancel(id: string): void;
  /** Continues with the scheduled tasks in the state, after a restart of the process. */
  resume(applicationId: string): void;
  /** Stops and removes the clock of an application. */
  remove(applicationId: string): void;
  close(): void;
}

/** Creates the scheduler. Scheduled tasks are records of the state; the scheduler runs them when they are due. */
export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { state } = deps;
  const schedulers = new Map<string, ApplicationScheduler>();
  let closed = false;
  const of = (applicationId: string) => {
    const known = schedulers.get(applicationId);
    if (known) return known;
    const created = createApplicationScheduler(deps, applicationId);
    schedulers.set(applicationId, created);
    if (closed) created.stop();
    return created;
  };

  return {
    of,
    now: (applicationId) => of(applicationId).now(),
    schedule(applicationId, id, delayMilliseconds, task) {
      const scheduler = of(applicationId);
      const scheduled = { id, applicationId, dueMilliseconds: scheduler.now() + delayMilliseconds, task };
      state.scheduledTasks.put(scheduled);
      scheduler.add(scheduled);
    },
    cancel: (id) => state.scheduledTasks.remove(id),
    resume(applicationId) {
      for (const task of state.scheduledTasks.list(applicationId)) of(applicationId).add(task);
    },
    remove(applicationId) {
      schedulers.get(applicationId)?.stop();
      schedulers.delete(applicationId);
      state.clockRates.remove(applicationId);
    },
    close() {
      closed = true;
      for (const scheduler of schedulers.values()) scheduler.stop();
    },
  };
}

/** The clock of one application and the work that waits for an instant on it. */
export interface ApplicationScheduler extends Clock, Pick<ApplicationClock, "mode" | "set"> {
  /**
   * Moves the clock forward, from task to task. Each task runs at its own instant, and its consequences are complete
   * before the next one runs. Resolves when the clock has reached the end. Advances run one after another.
   *
   * Rejects with the error of a program's callback; the clock then runs on from that instant.
   */
  advance(milliseconds: number): Promise<void>;
  /** Runs a task at its instant, unless it is cancelled or replaced in the state before. */
  add(task: ScheduledTask): void;
  /** Sets the clock to the machine's time and ends advances. Callbacks keep their remaining delay. */
  restart(): void;
  stop(): void;
}

/** The dependencies of schedulers. */
export interface SchedulerDeps extends ApplicationClockDeps {
  /** Runs a task. It returns before the next timer runs. */
  readonly runTask: (task: ScheduledTask) => void;
  /** Resolves when no webhook attempt of the application is in progress. */
  readonly settled: (applicationId: string) => Promise<void>;
}

/** Rounds of the event loop in which the promises behind a program's callback can settle, before the clock moves on. */
const roundsAfterCallbacks = 10;

function createApplicationScheduler(deps: SchedulerDeps, applicationId: string): ApplicationScheduler {
  const clock = createApplicationClock(deps, applicationId);
  const queue = createTimerQueue();
  const wakeUp = createWakeUp(deps.machine, clock, queue);
  const add = (timer: Timer) => {
    queue.add(timer);
    wakeUp.arm();
  };
  const callbacks = createCallbacks(clock.now, add);
  const settle = async () => {
    await deps.settled(applicationId);
    const rounds = callbacks.haveRun() ? roundsAfterCallbacks : 0;
    for (let round = 0; round < rounds; round++) await setImmediate();
  };
  const advances = createAdvances(clock, queue, wakeUp, settle);

  return {
    now: clock.now,
    mode: clock.mode,
    set(mode) {
      clock.set(mode);
      wakeUp.arm();
    },
    advance: advances.advance,
    add: (task) => add(timerOf(deps, task)),
    schedule: callbacks.schedule,
    restart() {
      advances.end();
      const before = clock.now();
      clock.restart();
      callbacks.shift(clock.now() - before);
      wakeUp.arm();
    },
    stop() {
      advances.stop();
      wakeUp.stop();
    },
  };
}

/** A cancelled task is no longer in the state, and a replaced task is another record there. */
function timerOf({ state, runTask }: SchedulerDeps, task: ScheduledTask): Timer {
  return {
    dueMilliseconds: task.dueMilliseconds,
    isWanted: () => state.scheduledTasks.get(task.id) === task,
    run() {
      state.scheduledTasks.remove(task.id);
      runTask(task);
    },
  };
}

/** Creates the machine timer of a queue. A clock that is held or stopped runs no timer, except for what is due already. */
function createWakeUp(machine: Clock, clock: ApplicationClock, queue: TimerQueue) {
  let stopped = false;
  let cancelTimer = () => {};
  /** Sets the machine timer for the first timer of the queue. */
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
    /** Cancels the machine timer until the next `arm`. */
    cancel: () => cancelTimer(),
    /** Cancels the machine timer for good. */
    stop() {
      stopped = true;
      cancelTimer();
    },
  };
}

/** Creates an empty set of a program's callbacks. They do not survive the process. */
function createCallbacks(now: () => number, addTimer: (timer: Timer) => void) {
  interface Scheduled {
    dueMilliseconds: number;
    readonly callback: () => void;
  }
  const waiting = new Set<Scheduled>();
  let ran = false;
  const enqueue = (scheduled: Scheduled) => {
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
    /** Calls the callback after the delay. The returned function cancels it. */
    schedule(delayMilliseconds: number, callback: () => void): () => void {
      // As with every timer of JavaScript, an invalid delay counts as 0. NaN would block the queue forever.
      const scheduled = { dueMilliseconds: now() + Math.max(0, delayMilliseconds || 0), callback };
      waiting.add(scheduled);
      enqueue(scheduled);
      return () => waiting.delete(scheduled);
    },
    /** Moves all instants after the clock was set to another time, so that each callback keeps its remaining delay. */
    shift(milliseconds: number): void {
      if (milliseconds === 0) return;
      for (const scheduled of waiting) {
        scheduled.dueMilliseconds += milliseconds;
        enqueue(scheduled);
      }
    },
    /** Tells whether a callback has run since the last call of this function. */
    haveRun(): boolean {
      const answer = ran;
      ran = false;
      return answer;
    },
  };
}

/** Creates the advances of a clock. One runs at a time, and the others follow in their order. */
function createAdvances(
  clock: ApplicationClock,
  queue: TimerQueue,
  wakeUp: ReturnType<typeof createWakeUp>,
  settle: () => Promise<void>,
) {
  let last = Promise.resolve();
  // `end` replaces this object. An advance runs only as long as the object from its request is still the current one.
  let epoch: object | undefined = {};

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
    advance(milliseconds: number): Promise<void> {
      const requested = epoch;
      const advanced = last.then(() => run(milliseconds, () => requested !== undefined && epoch === requested));
      // Only the caller sees an error of an advance. The next advance begins all the same.
      last = advanced.catch(() => {});
      return advanced;
    },
    /** Ends the advances that were requested so far. The clock is left as it is. */
    end() {
      epoch = {};
    },
    /** Ends all advances, including those that are requested later. */
    stop() {
      epoch = undefined;
    },
  };
}
