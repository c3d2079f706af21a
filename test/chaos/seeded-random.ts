import { createHash } from "node:crypto";

/** The random numbers of a run. One seed gives the same numbers for the same names, in whatever order they are asked for. */
export interface SeededRandom {
  readonly seed: number;
  /** Answers a number from 0 up to, but not including, 1. */
  fraction(...names: readonly (string | number)[]): number;
  /** Answers a whole number from 0 up to, but not including, `below`. */
  integer(below: number, ...names: readonly (string | number)[]): number;
}

/** Creates the random numbers of a seed, from 0 to 2³² − 1. */
export function createSeededRandom(seed: number): SeededRandom {
  const fraction: SeededRandom["fraction"] = (...names) => {
    const digest = createHash("sha256")
      .update([seed, ...names].join(" "))
      .digest();
    return digest.readUInt32BE() / 2 ** 32;
  };
  return { seed, fraction, integer: (below, ...names) => Math.floor(fraction(...names) * below) };
}
