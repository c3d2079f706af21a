import { setImmediate } from "node:timers/promises";
import type { Clock } from "./util/clock.ts";

/** A clock that stands still until a test advances it. */
export interface ManualClock extends Clock {
  /** Advances the clock. Runs each due task at its instant, and lets the promises that it started settle. */
  advance(milliseconds: number): Promise<void>;
  /** The number of scheduled tasks. */
  readonly pending: number;
  /** The instant of the first scheduled task in Unix milliseconds, or `undefined` if there is none. */
  readonly nextDue: number | undefined;
}

/**
 * Creates a clock for tests. Pass it to `createDoorcode({ clock })` and `createMemoryStore({ clock })`.
 *
 * @param startMilliseconds - the first instant in Unix milliseconds. Default: 2026-09-21T14:13:20Z.
 */
export function createManualClock(startMilliseconds: number = Date.UTC(2026, 8, 21, 14, 13, 20)): ManualClock {
  let now = startMilliseconds;
  const tasks = new Set<{ readonly due: number; readonly task: () => void }>();
  const nextTask = (until: number) =>
    [...tasks].filter(({ due }) => due <= until).sort((left, right) => left.due - right.due)[0];

  return {
    now: () => now,
    schedule(delayMilliseconds, task) {
      const entry = { due: now + delayMilliseconds, task };
      tasks.add(entry);
      return () => tasks.delete(entry);
    },
    async advance(milliseconds) {
      const until = now + milliseconds;
      await flushEventLoop();
      for (let entry = nextTask(until); entry; entry = nextTask(until)) {
        tasks.delete(entry);
        now = entry.due;
        entry.task();
        await flushEventLoop();
      }
      now = until;
      await flushEventLoop();
    },
    get pending() {
      return tasks.size;
    },
    get nextDue() {
      return nextTask(Number.POSITIVE_INFINITY)?.due;
    },
  };
}

/** Lets promises and pending in-process requests settle. They need several turns of the event loop. */
async function flushEventLoop(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
}
