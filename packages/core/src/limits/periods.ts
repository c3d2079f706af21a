import type { CounterChange } from "../store/store.ts";

const daySeconds = 86_400;
const weekSeconds = 7 * daySeconds;

/** The days and weeks of an instant, counted from 1970. What is counted for one stands under a key of its own. */
export interface Periods {
  readonly day: number;
  readonly week: number;
  /** The part of the week that is over, in days. */
  readonly daysIntoWeek: number;
}

/** Returns the day and the week of an instant. */
export function periodsOf(nowMilliseconds: number): Periods {
  const seconds = nowMilliseconds / 1000;
  const week = Math.floor(seconds / weekSeconds);
  return { day: Math.floor(seconds / daySeconds), week, daysIntoWeek: (seconds - week * weekSeconds) / daySeconds };
}

/** Returns the change of a day's counter. It is readable on the next day too. */
export function ofDay(key: string, day: number, by: number): CounterChange {
  return { key: `${key}:d${day}`, by, ttlSeconds: 2 * daySeconds };
}

/** Returns the change of a week's counter. It is readable in the next week too. */
export function ofWeek(key: string, week: number, by: number): CounterChange {
  return { key: `${key}:w${week}`, by, ttlSeconds: 2 * weekSeconds };
}

/** Returns the mean of a day, out of the counts of the last week and of this one so far. */
export function meanOfDay({ daysIntoWeek }: Periods, lastWeek: number, thisWeek: number): number {
  return (lastWeek + thisWeek) / (7 + daysIntoWeek);
}

/** Returns the mean of the days before today. */
export function meanOfDaysBefore({ daysIntoWeek }: Periods, lastWeek: number, thisWeek: number, today: number): number {
  return (lastWeek + thisWeek - today) / (7 + Math.floor(daysIntoWeek));
}
