/**
 * Returns one number of a sequence of pseudo-random numbers, from 0 inclusive to 1 exclusive (mulberry32).
 *
 * The state of this generator grows by a constant step, so any position can be computed directly. A caller needs to store
 * nothing except the number of draws so far.
 *
 * @param seed - from 0 to 2³² − 1.
 * @param index - position in the sequence, from 0.
 */
export function seededRandom(seed: number, index: number): number {
  const state = (seed + Math.imul(index + 1, 0x6d2b79f5)) | 0;
  const mixed = Math.imul(state ^ (state >>> 15), state | 1);
  const result = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
  return ((result ^ (result >>> 14)) >>> 0) / 2 ** 32;
}
