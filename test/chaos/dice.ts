import { createHash } from "node:crypto";

/** Everything that a run leaves to chance. The same seed throws the same for the same names, in whatever order it is asked. */
export interface Dice {
  readonly seed: number;
  /** From 0 up to but not 1. */
  roll(...names: readonly (string | number)[]): number;
  /** A whole number from 0 up to but not `below`. */
  pick(below: number, ...names: readonly (string | number)[]): number;
}

/** Creates the dice of a seed, from 0 to 2³² − 1. */
export function createDice(seed: number): Dice {
  const roll: Dice["roll"] = (...names) => {
    const digest = createHash("sha256")
      .update([seed, ...names].join(" "))
      .digest();
    return digest.readUInt32BE() / 2 ** 32;
  };
  return { seed, roll, pick: (below, ...names) => Math.floor(roll(...names) * below) };
}
