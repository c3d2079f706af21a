import type { Clock } from "@doorcode/core/clock";
import type { Pace } from "../state/plan.ts";
import type { State } from "../state/state.ts";
import { type ClockMode, instantAt, modeOf, rateOf } from "./pace.ts";

/** The hand of a clock: where it stands, and how fast it runs. */
export interface Pacer {
  /** Unix milliseconds. */
  now(): number;
  mode(): ClockMode;
  /** A multiple of real time. */
  rate(): number;
  /** Runs in another mode from where it stands. */
  set(mode: ClockMode): void;
  /** Stands at an instant, whatever its mode, until it is released. */
  standAt(milliseconds: number): void;
  isStanding(): boolean;
  /** Runs on from where it stands. */
  release(): void;
  /** Shows the machine's time again, in the mode it began with. */
  restart(): void;
}

/** What a pacer works with. */
export interface PacerParts {
  readonly state: State;
  /** The machine's clock. */
  readonly machine: Clock;
  /** How the clock of an application starts. */
  readonly mode: ClockMode;
}

/** Creates the hand of an application's clock. Its pace is a record of the state. */
export function createPacer({ state, machine, mode }: PacerParts, applicationId: string): Pacer {
  const put = (rate: number, atMilliseconds: number): Pace => {
    const pace = { id: applicationId, rate, atMilliseconds, machineMilliseconds: machine.now() };
    state.paces.put(pace);
    return pace;
  };
  let pace = state.paces.get(applicationId) ?? put(rateOf(mode), machine.now());
  let standing = false;
  const now = () => (standing ? pace.atMilliseconds : instantAt(pace, machine.now()));

  return {
    now,
    mode: () => modeOf(pace),
    rate: () => pace.rate,
    set(mode) {
      pace = put(rateOf(mode), now());
    },
    standAt(milliseconds) {
      // The record moves along, so that a process that is killed meanwhile goes on from there.
      pace = put(pace.rate, milliseconds);
      standing = true;
    },
    isStanding: () => standing,
    release() {
      pace = put(pace.rate, now());
      standing = false;
    },
    restart() {
      standing = false;
      pace = put(rateOf(mode), machine.now());
    },
  };
}
