import type { Waiting } from "./queue.ts";

/** What the program that runs the sandbox wants done on the clock of an application. */
export interface ProgramTasks {
  /** Runs the task after the delay. The function returned takes it back. */
  schedule(delayMilliseconds: number, run: () => void): () => void;
  /** After the clock was set to another instant: each waits as long as it still had to. */
  shift(milliseconds: number): void;
  /** Tells whether one has run since this was asked last. */
  haveRun(): boolean;
}

interface ProgramTask {
  dueMilliseconds: number;
  readonly run: () => void;
}

/**
 * Creates an empty set of tasks.
 *
 * @param add - queues one.
 */
export function createProgramTasks(now: () => number, add: (waiting: Waiting) => void): ProgramTasks {
  const tasks = new Set<ProgramTask>();
  let ran = false;
  const queue = (task: ProgramTask) => {
    const { dueMilliseconds } = task;
    add({
      dueMilliseconds,
      isWanted: () => tasks.has(task) && task.dueMilliseconds === dueMilliseconds,
      perform() {
        tasks.delete(task);
        ran = true;
        task.run();
      },
    });
  };

  return {
    schedule(delayMilliseconds, run) {
      // As with any timer, what is no delay is none: one that is no number would never be due, nor what is behind it.
      const task = { dueMilliseconds: now() + Math.max(0, delayMilliseconds || 0), run };
      tasks.add(task);
      queue(task);
      return () => tasks.delete(task);
    },
    shift(milliseconds) {
      if (milliseconds === 0) return;
      for (const task of tasks) {
        task.dueMilliseconds += milliseconds;
        queue(task);
      }
    },
    haveRun() {
      const answer = ran;
      ran = false;
      return answer;
    },
  };
}
