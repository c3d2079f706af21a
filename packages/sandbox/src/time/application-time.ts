import { setImmediate } from "node:timers/promises";
import type { Plan } from "../state/plan.ts";
import type { ClockMode } from "./pace.ts";
import { createPacer, type PacerParts } from "./pacer.ts";
import { createProgramTasks } from "./program-tasks.ts";
import { createWaitingQueue, type Waiting } from "./queue.ts";

/** The clock of one application, and what waits for its time on it. */
export interface ApplicationTime {
  /** Unix milliseconds. */
  now(): number;
  mode(): ClockMode;
  /** Lets the clock run, stand still or run faster, from where it stands. */
  set(mode: ClockMode): void;
  /**
   * Moves the clock on, event by event: each plan is performed at its own instant, and what it sets off is settled before
   * the next. Resolves when the clock stands at the end of it. One advance at a time; a second one follows the first.
   *
   * Rejects with what a task of the program throws; the clock then goes on from that task's instant.
   */
  advance(milliseconds: number): Promise<void>;
  /** Performs a plan when its time comes. */
  await(plan: Plan): void;
  /**
   * Runs a task of the program when its time comes; it does not survive the process. The function returned takes it back.
   */
  schedule(delayMilliseconds: number, task: () => void): () => void;
  /** Shows the machine's time again and ends an advance. Tasks of the program wait as long as they still had to. */
  restart(): void;
  /** Performs nothing any more, and ends an advance. */
  stop(): void;
}

/** What the time of an application works with. */
export interface TimeParts extends PacerParts {
  /** Does what a task says. It returns before anything else is performed. */
  readonly perform: (plan: Plan) => void;
  /** Resolves when nothing of the application is under way. */
  readonly settled: (applicationId: string) => Promise<void>;
}

/** A longer time-out overflows to none at all. */
const longestTimeoutMilliseconds = 2 ** 31 - 1;

/** Creates the time of an application. */
export function createApplicationTime(parts: TimeParts, applicationId: string): ApplicationTime {
  const { state, machine, perform, settled } = parts;
  const pacer = createPacer(parts, applicationId);
  const queue = createWaitingQueue();
  /** An advance belongs to the epoch in which it was asked for, and ends with it. */
  let epoch = {};
  let stopped = false;
  let advances = Promise.resolve();
  let cancelTimer = () => {};

  const performDue = () => {
    for (let next = queue.peek(); next && next.dueMilliseconds <= pacer.now(); next = queue.peek()) {
      queue.take();
      next.perform();
    }
  };
  const arm = () => {
    cancelTimer();
    const next = queue.peek();
    if (stopped || pacer.isStanding() || !next) return;
    const delayMilliseconds = Math.max(0, next.dueMilliseconds - pacer.now());
    // On a clock that stands still, only what is due already happens.
    if (delayMilliseconds > 0 && pacer.rate() === 0) return;
    const timeout = delayMilliseconds === 0 ? 0 : Math.ceil(delayMilliseconds / pacer.rate());
    cancelTimer = machine.schedule(Math.min(timeout, longestTimeoutMilliseconds), () => {
      // A task of the program that throws holds up nothing that waits behind it.
      try {
        performDue();
      } finally {
        arm();
      }
    });
  };
  const add = (waiting: Waiting) => {
    queue.add(waiting);
    // Most come after others that wait already: then the timer is right as it is.
    if (queue.peek() === waiting) arm();
  };
  const programTasks = createProgramTasks(pacer.now, add);
  const settle = async () => {
    await settled(applicationId);
    // What a task of the program sets off is not ours to wait for: it gets the turns of the event loop that it needs.
    const turns = programTasks.haveRun() ? 10 : 0;
    for (let turn = 0; turn < turns; turn++) await setImmediate();
  };
  const standUntil = async (until: number, isMine: () => boolean) => {
    pacer.standAt(pacer.now());
    await settle();
    for (let next = queue.peek(); isMine() && next && next.dueMilliseconds <= until; next = queue.peek()) {
      pacer.standAt(Math.max(pacer.now(), next.dueMilliseconds));
      performDue();
      await settle();
    }
    if (isMine()) pacer.standAt(until);
  };
  const advance = async (milliseconds: number, mine: object) => {
    const isMine = () => !stopped && epoch === mine;
    if (!isMine()) return;
    cancelTimer();
    try {
      await standUntil(pacer.now() + milliseconds, isMine);
    } finally {
      if (isMine()) {
        pacer.release();
        arm();
      }
    }
  };

  return {
    now: pacer.now,
    mode: pacer.mode,
    set(mode) {
      pacer.set(mode);
      arm();
    },
    advance(milliseconds) {
      const mine = epoch;
      const advanced = advances.then(() => advance(milliseconds, mine));
      // What one rejects with is its caller's: the next begins all the same.
      advances = advanced.catch(() => {});
      return advanced;
    },
    await: (plan) =>
      add({
        dueMilliseconds: plan.dueMilliseconds,
        // What was taken back or planned anew is no longer the record of its id.
        isWanted: () => state.plans.get(plan.id) === plan,
        perform() {
          state.plans.remove(plan.id);
          perform(plan);
        },
      }),
    schedule: programTasks.schedule,
    restart() {
      epoch = {};
      const before = pacer.now();
      pacer.restart();
      programTasks.shift(pacer.now() - before);
      arm();
    },
    stop() {
      epoch = {};
      stopped = true;
      cancelTimer();
    },
  };
}
