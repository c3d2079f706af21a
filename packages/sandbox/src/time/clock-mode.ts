import { z } from "zod";
import type { ClockRate } from "../state/schedule.ts";

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

const pattern = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

const unitsInMilliseconds = [86_400_000, 3_600_000, 60_000, 1_000, 1] as const;

/** Ten years. A longer duration is probably a mistake. */
const maxMilliseconds = 3_650 * unitsInMilliseconds[0];

/**
 * Parses a duration such as `1h12m30s`, `24h`, `500ms` or `2d`. Longer units come first.
 *
 * @returns milliseconds; undefined when the text is not a duration, or a duration of more than ten years.
 */
export function parseDuration(text: string): number | undefined {
  const match = pattern.exec(text);
  if (!match || text === "") return undefined;
  const milliseconds = unitsInMilliseconds.reduce((sum, unit, index) => sum + unit * Number(match[index + 1] ?? 0), 0);
  return milliseconds <= maxMilliseconds ? milliseconds : undefined;
}
