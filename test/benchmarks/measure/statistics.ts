/** The middle of some figures and the quartiles around it: half of all figures lie between `lower` and `upper`. */
export interface Spread {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
}

/** Computes the median and the quartiles. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return { median: at(0.5), lower: at(0.25), upper: at(0.75) };
}

/** Creates a generator of numbers from 0 up to 1 that gives the same ones for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the items in a random order. */
export function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((left, right) => left.key - right.key).map(({ item }) => item);
}
