import { setImmediate } from "node:timers/promises";
import type { ScheduledTask } from "../state/schedule.ts";
import { type ApplicationClock, type ApplicationClockDeps, createApplicationClock } from "./application-clock.ts";
import type { ClockMode } from "./clock-mode.ts";
import {
  createCallbackTimers,
  createTimerQueue,
  createWakeUp,
  type Timer,
  type TimerQueue,
  type WakeUp,
} from "./timers.ts";

/** The clock of one application and the work that waits for an instant on it. */
export interface ApplicationScheduler {
  /** Returns Unix milliseconds. */
  now(): number;
  /** Returns the mode of the clock. */
  mode(): ClockMode;
  /** Changes the mode of the clock, which runs on from where it is. */
  set(mode: ClockMode): void;
  /**
   * Moves the clock forward, from task to task. Each task runs at its own instant, and its consequences are complete
   * before the next one runs. Resolves when the clock has reached the end. Advances run one after another.
   *
   * Rejects with the error of a program's callback; the clock then runs on from that instant.
   */
  advance(milliseconds: number): Promise<void>;
  /** Runs a task at its instant, unless it is cancelled or replaced in the state before. */
  add(task: ScheduledTask): void;
  /** Calls a callback after the delay. It does not survive the process. The returned function cancels it. */
  schedule(delayMilliseconds: number, callback: () => void): () => void;
  /** Sets the clock to the machine's time and ends advances. Callbacks keep their remaining delay. */
  restart(): void;
  /** Runs nothing more and ends advances. */
  stop(): void;
}

/** The dependencies of schedulers. */
export interface SchedulerDeps extends ApplicationClockDeps {
  /** Runs a task. It returns before the next timer runs. */
  readonly runTask: (task: ScheduledTask) => void;
  /** Resolves when no webhook attempt of the application is in progress. */
  readonly settled: (applicationId: string) => Promise<void>;
}

/** Turns of the event loop that the promises behind a program's callback get before the clock moves on. */
const turnsAfterCallbacks = 10;

/** Creates the scheduler of an application. */
export function createApplicationScheduler(deps: SchedulerDeps, applicationId: string): ApplicationScheduler {
  const clock = createApplicationClock(deps, applicationId);
  const queue = createTimerQueue();
  const wakeUp = createWakeUp(deps.machine, clock, queue);
  const add = (timer: Timer) => {
    // The wake-up stays right as long as another timer is the first.
    if (queue.add(timer)) wakeUp.arm();
  };
  const callbacks = createCallbackTimers(clock.now, add);
  const settle = async () => {
    await deps.settled(applicationId);
    const turns = callbacks.haveRun() ? turnsAfterCallbacks : 0;
    for (let turn = 0; turn < turns; turn++) await setImmediate();
  };
  const advances = createAdvances({ clock, queue, wakeUp, settle });

  return {
    now: clock.now,
    mode: clock.mode,
    set(mode) {
      clock.set(mode);
      wakeUp.arm();
    },
    advance: advances.advance,
    add: (task) => add(new TaskTimer(deps, task)),
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

/** The timer of a task. A class, because a hundred thousand may wait, and closures for each take five times the memory. */
class TaskTimer implements Timer {
  readonly #deps: SchedulerDeps;
  readonly #task: ScheduledTask;

  constructor(deps: SchedulerDeps, task: ScheduledTask) {
    this.#deps = deps;
    this.#task = task;
  }

  get dueMilliseconds(): number {
    return this.#task.dueMilliseconds;
  }

  /** A cancelled task is no longer in the state, and a replaced one is another record there. */
  isWanted(): boolean {
    return this.#deps.state.scheduledTasks.get(this.#task.id) === this.#task;
  }

  run(): void {
    this.#deps.state.scheduledTasks.remove(this.#task.id);
    this.#deps.runTask(this.#task);
  }
}

/** The advances of an application's clock. One runs at a time, and the others follow in their order. */
interface Advances {
  /**
   * Moves the clock forward, from timer to timer. Each timer runs at its own instant, and its consequences are complete
   * before the next one runs.
   *
   * Rejects with the error of a program's callback; the clock then runs on from that instant.
   */
  advance(milliseconds: number): Promise<void>;
  end(): void;
  stop(): void;
}

/** The dependencies of {@link Advances}. */
interface AdvancesDeps {
  readonly clock: ApplicationClock;
  readonly queue: TimerQueue;
  readonly wakeUp: WakeUp;
  readonly settle: () => Promise<void>;
}

/** Creates the advances of an application's clock. */
function createAdvances({ clock, queue, wakeUp, settle }: AdvancesDeps): Advances {
  let last = Promise.resolve();
  // `end` replaces this object. An advance runs only as long as the object from its request is still the current one.
  let epoch = {};
  let stopped = false;

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
    advance(milliseconds) {
      const requested = epoch;
      const advanced = last.then(() => run(milliseconds, () => !stopped && epoch === requested));
      // Only the caller sees an error of an advance. The next advance begins all the same.
      last = advanced.catch(() => {});
      return advanced;
    },
    end() {
      epoch = {};
    },
    stop() {
      stopped = true;
    },
  };
}
