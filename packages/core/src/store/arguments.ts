import type { Increment } from "./store.ts";

/** @throws TypeError when a text holds half of a surrogate pair: no store has to carry one. */
export function checkTexts(...texts: readonly (string | undefined)[]): void {
  for (const text of texts) {
    if (text?.isWellFormed() === false) throw new TypeError("A key, token or value must be well-formed Unicode.");
  }
}

/** @throws TypeError for what is no duration: an entry that expires at `NaN` would never expire. */
export function checkSeconds(...durations: readonly number[]): void {
  for (const seconds of durations) {
    if (Number.isSafeInteger(seconds) && seconds > 0) continue;
    throw new TypeError("A lifetime or a lease must be a whole number of seconds above 0.");
  }
}

/** @throws TypeError for a change that no counter can take. */
export function checkIncrement({ key, by, limit = 0, ttlSeconds }: Increment): void {
  checkTexts(key);
  checkSeconds(ttlSeconds);
  if (!Number.isSafeInteger(by)) throw new TypeError("increment: by must be a whole number.");
  if (typeof limit !== "number" || Number.isNaN(limit)) throw new TypeError("increment: limit must be a number.");
}
