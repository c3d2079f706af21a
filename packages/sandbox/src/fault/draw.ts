/**
 * The n-th number, from 0 up to but not 1, of the generator mulberry32 that starts at the seed.
 *
 * Its state grows by the same step each time, so any place in the course is reached at once: whoever knows how many
 * numbers were drawn needs to keep nothing else.
 *
 * @param seed - from 0 to 2³² − 1.
 * @param index - from 0.
 */
export function draw(seed: number, index: number): number {
  const state = (seed + Math.imul(index + 1, 0x6d2b79f5)) | 0;
  const mixed = Math.imul(state ^ (state >>> 15), state | 1);
  const result = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
  return ((result ^ (result >>> 14)) >>> 0) / 2 ** 32;
}
