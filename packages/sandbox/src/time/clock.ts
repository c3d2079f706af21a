import type { Clock } from "@doorcode/core/store";
import { z } from "zod";
import type { ClockRate } from "../state/schedule.ts";
import type { State } from "../state/state.ts";

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

function rateOf(mode: ClockMode): number {
  if (typeof mode === "object") return mode.scale;
  return mode === "real" ? 1 : 0;
}

function modeOf({ rate }: ClockRate): ClockMode {
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

/** The clock of one application: its position and its rate. */
export interface ApplicationClock {
  /** Returns Unix milliseconds. */
  now(): number;
  mode(): ClockMode;
  /** Returns the rate, as a multiple of real time. */
  rate(): number;
  /** Changes the mode. The clock runs on from where it is. */
  set(mode: ClockMode): void;
  /** Moves the clock to an instant and holds it there, in any mode, until `release`. */
  holdAt(milliseconds: number): void;
  isHeld(): boolean;
  release(): void;
  /** Sets the clock to the machine's time and to the mode in which it started. */
  restart(): void;
}

/** The dependencies of an {@link ApplicationClock}. */
export interface ApplicationClockDeps {
  /** Keeps the rate, so that it survives the process. */
  readonly state: State;
  readonly machine: Clock;
  /** The mode in which the clock of an application starts. */
  readonly mode: ClockMode;
}

/** Creates the clock of an application. It continues where the state says it was. */
export function createApplicationClock(
  { state, machine, mode }: ApplicationClockDeps,
  applicationId: string,
): ApplicationClock {
  let held = false;
  const positionAt = (machineNow: number) => {
    const { rate, atMilliseconds, machineMilliseconds } = current;
    return held ? atMilliseconds : Math.floor(atMilliseconds + (machineNow - machineMilliseconds) * rate);
  };
  const now = () => positionAt(machine.now());
  // The machine's time is read once for a record: between two reads a millisecond may pass, and the clock would be behind from then on.
  const put = (rate: number, positionAtNow: (machineNow: number) => number): ClockRate => {
    const machineMilliseconds = machine.now();
    const record = { id: applicationId, rate, atMilliseconds: positionAtNow(machineMilliseconds), machineMilliseconds };
    state.clockRates.put(record);
    return record;
  };
  const putAtMachineTime = () => put(rateOf(mode), (machineNow) => machineNow);
  let current = state.clockRates.get(applicationId) ?? putAtMachineTime();

  return {
    now,
    mode: () => modeOf(current),
    rate: () => current.rate,
    set(mode) {
      current = put(rateOf(mode), positionAt);
    },
    holdAt(milliseconds) {
      // Updates the record each time, so that a process that is killed meanwhile continues from here.
      current = put(current.rate, () => milliseconds);
      held = true;
    },
    isHeld: () => held,
    release() {
      current = put(current.rate, positionAt);
      held = false;
    },
    restart() {
      held = false;
      current = putAtMachineTime();
    },
  };
}
