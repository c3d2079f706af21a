import type { CounterChange } from "./store.ts";

/**
 * Checks keys, tokens and values of a {@link Store}: for whoever writes one.
 *
 * @param texts - `undefined` is passed over.
 * @throws TypeError when one holds half of a surrogate pair: UTF-8 cannot carry it, and two such keys would be one.
 * @example
 * import { checkSeconds, checkTexts } from "@doorcode/core/store";
 *
 * async function put(key: string, value: string | undefined, { ttlSeconds }: { ttlSeconds: number }) {
 *   checkTexts(key, value);
 *   checkSeconds(ttlSeconds);
 * }
 */
export function checkTexts(...texts: readonly (string | undefined)[]): void {
  for (const text of texts) {
    if (text?.isWellFormed() === false) throw new TypeError("A key, token or value must be well-formed Unicode.");
  }
}

/**
 * Checks lifetimes and leases of a {@link Store}: for whoever writes one.
 *
 * @throws TypeError for what is no duration: an entry that expires at `NaN` would never expire. As milliseconds, too, a
 * duration is exact.
 */
export function checkSeconds(...durations: readonly number[]): void {
  for (const seconds of durations) {
    if (Number.isSafeInteger(seconds) && seconds > 0 && Number.isSafeInteger(seconds * 1000)) continue;
    throw new TypeError("A lifetime or a lease must be a whole number of seconds above 0.");
  }
}

/**
 * Checks a change of a counter of a {@link Store}: for whoever writes one. Check the whole list before any is counted.
 *
 * @throws TypeError for a change that no counter can take. A limit may be any number, also one beyond what is exact.
 */
export function checkCounterChange({ key, by, limit = 0, ttlSeconds }: CounterChange): void {
  checkTexts(key);
  checkSeconds(ttlSeconds);
  if (!Number.isSafeInteger(by)) throw new TypeError("increment: by must be a whole number.");
  if (typeof limit !== "number" || Number.isNaN(limit)) throw new TypeError("increment: limit must be a number.");
}
