import { setImmediate } from "node:timers/promises";
import type { ScheduledTask } from "../state/scheduled-task.ts";
import { createAdvances } from "./advances.ts";
import { type ApplicationClockDeps, createApplicationClock } from "./application-clock.ts";
import { createCallbackTimers } from "./callback-timers.ts";
import type { ClockMode } from "./clock-mode.ts";
import { createTimerQueue, type Timer } from "./timer-queue.ts";
import { createWakeUp } from "./wake-up.ts";

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
