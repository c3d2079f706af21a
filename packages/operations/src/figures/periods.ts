/** The length of an hour, in milliseconds. */
export const hourMilliseconds = 3_600_000;
/** The length of a day, in milliseconds. */
export const dayMilliseconds = 86_400_000;

/** The time for which documents are kept, in seconds: a month, and some days to compare it with. */
export const keptSeconds: number = 35 * 86_400;

/** The periods that the page shows. */
export const periods = ["today", "week", "month"] as const;

/** A period that the page shows: this day in UTC by hours, or 7 or 30 days. */
export type Period = (typeof periods)[number];

/** A part of a period, with its document. */
export interface Slot {
  /** The beginning of the slot, as Unix milliseconds. */
  readonly start: number;
  /** The beginning in UTC for people: the hour of today, else the day. */
  readonly label: string;
  readonly key: string;
}

/** Returns the key of the document of an hour, in UTC. */
export function hourKey(name: string, at: number): string {
  return `${name}:operations:hour-${new Date(at).toISOString().slice(0, 13)}`;
}

/** Returns the key of the document of a day, in UTC. */
export function dayKey(name: string, at: number): string {
  return `${name}:operations:day-${new Date(at).toISOString().slice(0, 10)}`;
}

/** Returns the slots of a period, the oldest first: the hours of today, or days. */
export function slotsOf(name: string, period: Period, now: number): readonly Slot[] {
  const isToday = period === "today";
  const [length, keyOf] = isToday ? [hourMilliseconds, hourKey] : [dayMilliseconds, dayKey];
  const last = now - (now % length);
  const before = { today: new Date(now).getUTCHours(), week: 6, month: 29 }[period];
  return Array.from({ length: before + 1 }, (_, index) => {
    const start = last - (before - index) * length;
    const text = new Date(start).toISOString();
    return { start, label: isToday ? text.slice(11, 16) : text.slice(5, 10), key: keyOf(name, start) };
  });
}
