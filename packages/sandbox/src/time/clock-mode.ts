import { z } from "zod";
import type { ClockRate } from "../state/clock-rate.ts";

/** The mode of an application's clock. A change of the mode never moves the clock back: it runs on from where it is. */
export type ClockMode = "real" | "frozen" | { readonly scale: number };

/**
 * The shape of a {@link ClockMode}.
 *
 * @internal
 */
export const clockModeShape: z.ZodType<ClockMode> = z.union(
  [z.literal(["real", "frozen"]), z.strictObject({ scale: z.number().positive().max(100_000) })],
  "expected real, frozen, or { scale } above 0 and up to 100000",
);

/** Returns the rate of a mode, as a multiple of real time. */
export function rateOf(mode: ClockMode): number {
  if (typeof mode === "object") return mode.scale;
  return mode === "real" ? 1 : 0;
}

/** Returns the mode with this rate. */
export function modeOf({ rate }: ClockRate): ClockMode {
  if (rate === 0) return "frozen";
  return rate === 1 ? "real" : { scale: rate };
}
