/** Random numbers of a seed, one after the other. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  fraction(): number;
  /** Returns a whole number from 0 up to, but not including, `below`. */
  integer(below: number): number;
  /** Returns one of the values. */
  oneOf<Value>(values: readonly Value[]): Value;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
  /** Returns the time until the next of events that happen at random, so many a second on average. */
  secondsUntilNext(perSecond: number): number;
}

/** Creates the random numbers of a seed: the generator mulberry32, which is small and fast. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function fraction(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const integer = (below: number) => Math.floor(fraction() * below);
  return {
    fraction,
    integer,
    oneOf: (values) => values[integer(values.length)] as (typeof values)[number],
    chance: (probability) => fraction() < probability,
    secondsUntilNext: (perSecond) => -Math.log(1 - fraction()) / perSecond,
  };
}
