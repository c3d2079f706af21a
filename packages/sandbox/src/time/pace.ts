import { z } from "zod";
import type { Pace } from "../state/plan.ts";

/** How the clock of an application can be set. It never goes back: each setting goes on from where it stands. */
export type ClockMode = "real" | "frozen" | { readonly scale: number };

/** The shape of a {@link ClockMode}. */
export const clockModeShape: z.ZodType<ClockMode> = z.union(
  [z.literal(["real", "frozen"]), z.strictObject({ scale: z.number().positive().max(100_000) })],
  "expected real, frozen, or { scale } above 0 and up to 100000",
);

/** The instant of an application, in Unix milliseconds, when the machine's clock shows the given one. */
export function instantAt(pace: Pace, machineMilliseconds: number): number {
  return Math.floor(pace.atMilliseconds + (machineMilliseconds - pace.machineMilliseconds) * pace.rate);
}

/** How fast a clock of the mode runs, as a multiple of real time. */
export function rateOf(mode: ClockMode): number {
  if (typeof mode === "object") return mode.scale;
  return mode === "real" ? 1 : 0;
}

/** The mode of a clock that runs at this rate. */
export function modeOf({ rate }: Pace): ClockMode {
  if (rate === 0) return "frozen";
  return rate === 1 ? "real" : { scale: rate };
}
