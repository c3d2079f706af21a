import type { Clock } from "@doorcode/core/store";
import type { ClockRate } from "../state/schedule.ts";
import type { State } from "../state/state.ts";
import { type ClockMode, modeOf, rateOf } from "./clock-mode.ts";

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
  const positionAt = (machineNow: number) => (held ? current.atMilliseconds : positionOf(current, machineNow));
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

function positionOf({ rate, atMilliseconds, machineMilliseconds }: ClockRate, machineNow: number): number {
  return Math.floor(atMilliseconds + (machineNow - machineMilliseconds) * rate);
}
