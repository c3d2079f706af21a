import { setImmediate } from "node:timers/promises";
import type { Clock } from "./primitives/clock.ts";

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves on by that much, running what falls due at its own instant, and lets what it started settle. */
  advance(milliseconds: number): Promise<void>;
  /** How many tasks wait for their time. */
  readonly pending: number;
  /** When the first of them falls due, Unix milliseconds; `undefined` when none waits. */
  readonly nextDue: number | undefined;
}

/**
 * Creates a clock for tests, passed to `createDoorcode({ clock })` and to `createMemoryStore({ clock })`.
 *
 * @param startMilliseconds - Unix milliseconds.
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
      await settled();
      for (let entry = nextTask(until); entry; entry = nextTask(until)) {
        tasks.delete(entry);
        now = entry.due;
        entry.task();
        await settled();
      }
      now = until;
      await settled();
    },
    get pending() {
      return tasks.size;
    },
    get nextDue() {
      return nextTask(Number.POSITIVE_INFINITY)?.due;
    },
  };
}

/** Gives promises and in-process requests already under way the turns of the event loop they need. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
}
