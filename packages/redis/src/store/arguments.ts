/**
 * Turns a lifetime or a lease into the milliseconds that Redis takes.
 *
 * @throws TypeError when it is no duration: a script that Redis stops at a wrong lifetime would leave an entry without one.
 */
export function milliseconds(seconds: number): string {
  const lifetime = seconds * 1000;
  if (!(Number.isInteger(seconds) && lifetime > 0 && Number.isSafeInteger(lifetime))) {
    throw new TypeError("A lifetime or a lease must be a whole number of seconds above 0.");
  }
  return String(lifetime);
}

/** @throws TypeError when it is no whole number. */
export function wholeNumber(by: number): string {
  if (!Number.isSafeInteger(by)) throw new TypeError("increment: by must be a whole number.");
  return String(by);
}

/**
 * Answers the limit as a script takes it: a number of Lua is a double, and exact no further.
 *
 * @throws TypeError when it is no number.
 */
export function limitOf(limit: number = Number.MAX_SAFE_INTEGER): string {
  if (typeof limit !== "number" || Number.isNaN(limit)) throw new TypeError("increment: limit must be a number.");
  return String(Math.min(limit, Number.MAX_SAFE_INTEGER));
}

/** Scripts take texts only. */
export function flag(set: boolean): string {
  return set ? "1" : "0";
}

/**
 * Answers the text as it is, when it comes back as it was put.
 *
 * @throws TypeError when it holds half of a surrogate pair, which UTF-8 cannot carry: two such keys would be one.
 */
export function wellFormed(text: string): string {
  if (!text.isWellFormed()) throw new TypeError("A key, token or value must be well-formed Unicode.");
  return text;
}
