/**
 * Passes on a duration of a caller.
 *
 * @throws TypeError for what is none: PostgreSQL would take `NaN` and infinity, and keep the entry for ever
 */
export function checkSeconds(seconds: number): number {
  if (Number.isSafeInteger(seconds) && seconds > 0) return seconds;
  throw new TypeError("A lifetime or a lease must be a whole number of seconds above 0.");
}
