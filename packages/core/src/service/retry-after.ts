/**
 * Reads a `Retry-After` header, which is a number of seconds or an HTTP date.
 *
 * @param nowMilliseconds - the current Unix milliseconds.
 * @returns whole seconds from now, 0 for a date in the past; `undefined` for any other text.
 */
export function readRetryAfter(value: string | undefined, nowMilliseconds: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // `Date.parse` would accept "-1" and "5 minutes" as dates.
  if (!/^[A-Z][a-z]+, .* GMT$/.test(value)) return undefined;
  const instant = Date.parse(value);
  return Number.isNaN(instant) ? undefined : Math.max(0, Math.ceil((instant - nowMilliseconds) / 1000));
}
