/**
 * Passes on a duration of a caller.
 *
 * @throws TypeError for what is none: PostgreSQL would take `NaN` and infinity, and keep the entry for ever
 */
export function checkSeconds(seconds: number): number {
  if (seconds > 0 && Number.isFinite(seconds)) return seconds;
  throw new TypeError("A lifetime or a lease must be a number of seconds above 0.");
}
