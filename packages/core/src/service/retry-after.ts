/**
 * Reads a `Retry-After` header: seconds, or a date of HTTP.
 *
 * @param nowMilliseconds - Unix milliseconds, to count from.
 * @returns whole seconds, 0 for a date that is past; `undefined` for anything that is neither.
 */
export function readRetryAfter(value: string | undefined, nowMilliseconds: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // Without this, `Date.parse` would take "-1" and "5 minutes" for dates.
  if (!/^[A-Z][a-z]+, .* GMT$/.test(value)) return undefined;
  const instant = Date.parse(value);
  return Number.isNaN(instant) ? undefined : Math.max(0, Math.ceil((instant - nowMilliseconds) / 1000));
}
