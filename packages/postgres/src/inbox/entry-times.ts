/** An entry that no worker takes is removed after that time. */
export const openSeconds: number = 90 * 86_400;

/** Writes the expression of an instant so many seconds from now, by the clock of the database. */
export function secondsFromNow(seconds: string): string {
  return `clock_timestamp() + ${seconds}::float8 * interval '1 second'`;
}
