import type { Clock } from "@doorcode/core/store";

/** A clock that stands still. It moves from task to task when the scheduler says so, and waits for nothing. */
export interface VirtualClock extends Clock {
  /** Moves to the first task that is due by an instant, and runs it. Without one it moves to the instant, and returns false. */
  runNext(until: number): boolean;
  /** Moves to the first task, and runs it. Returns false if there is none. */
  runFirst(): boolean;
}

interface Task {
  readonly due: number;
  readonly run: () => void;
}

/** Creates a clock. Tasks of one instant run in the order in which they were scheduled. */
export function createVirtualClock(startMilliseconds: number): VirtualClock {
  let now = startMilliseconds;
  const tasks = new Set<Task>();

  function runNext(until: number): boolean {
    let first: Task | undefined;
    for (const task of tasks) if (task.due <= until && (!first || task.due < first.due)) first = task;
    if (first) tasks.delete(first);
    if (first) now = Math.max(now, first.due);
    else if (until !== Number.POSITIVE_INFINITY) now = until;
    first?.run();
    return first !== undefined;
  }

  return {
    now: () => now,
    schedule(delayMilliseconds, run) {
      const task = { due: now + delayMilliseconds, run };
      tasks.add(task);
      return () => tasks.delete(task);
    },
    runNext,
    runFirst: () => runNext(Number.POSITIVE_INFINITY),
  };
}
