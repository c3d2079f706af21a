/** Writes an instant as it stands on the wire: ISO 8601 with milliseconds. */
export function instantOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/**
 * The instant of a change: now, but always later than the change before.
 *
 * Receivers order events by this instant alone; two changes within one millisecond, or on a clock that stands still,
 * would otherwise tie and could be applied the wrong way round.
 *
 * @param previous - instant of the change before.
 * @see "Delivery guarantees" of the specification
 */
export function instantAfter(nowMilliseconds: number, previous: string): string {
  return instantOf(Math.max(nowMilliseconds, Date.parse(previous) + 1));
}
