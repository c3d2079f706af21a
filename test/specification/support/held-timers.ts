import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import { onTestFinished, vi } from "vitest";

/** Timers of one duration that the test ends, instead of the time. */
export interface HeldTimers {
  /** Returns how many were started. */
  held(): number;
  /** Ends all of them. */
  end(): void;
}

/** Holds the timers of `node:timers` that last so many milliseconds, until the test ends them. Others run as usual. */
export function holdTimers(milliseconds: number): HeldTimers {
  const { setTimeout } = timers;
  const tasks: (() => void)[] = [];
  const spy = vi.spyOn(timers, "setTimeout").mockImplementation((task: () => void, after?: number) => {
    if (after !== milliseconds) return setTimeout(task, after);
    tasks.push(task);
    return setTimeout(() => undefined, 0);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  return { held: () => tasks.length, end: () => tasks.forEach((task) => void task()) };
}
