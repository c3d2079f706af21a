/** Formats Unix milliseconds as records keep instants: ISO 8601 with milliseconds. */
export function isoInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The longest delay of a timer, about 24 days. Node fires a timer with a longer delay at once. */
export const maxTimeoutMilliseconds: number = 2 ** 31 - 1;
