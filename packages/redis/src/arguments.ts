/**
 * Turns a lifetime or a lease into the milliseconds that Redis takes, at least one.
 *
 * @throws TypeError when it is no duration: a script that Redis stops at a wrong lifetime would leave an entry without one.
 */
export function milliseconds(seconds: number): string {
  const rounded = Math.ceil(seconds * 1000);
  if (!(rounded > 0 && Number.isSafeInteger(rounded))) {
    throw new TypeError("A lifetime or a lease must be a number of seconds above 0.");
  }
  return String(rounded);
}

/** @throws TypeError when it is no whole number. */
export function wholeNumber(by: number): string {
  if (!Number.isSafeInteger(by)) throw new TypeError("increment: by must be a whole number.");
  return String(by);
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
