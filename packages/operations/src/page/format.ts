import type { Run } from "../figures/figures.ts";

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const money = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const countryNames = new Intl.DisplayNames("en", { type: "region" });

/** Shown in place of a figure that does not exist. */
export const none = "–";

/** Formats a count. */
export function countText(count: number | undefined): string {
  return count === undefined ? none : number.format(count);
}

/** Formats a count with its noun: `1 session`, `3 sessions`. */
export function nounText(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats an amount of money. Its currency is that of the prices, which the kit does not know. */
export function moneyText(amount: number | undefined): string {
  return amount === undefined ? none : money.format(amount);
}

/** Formats a part of a whole; a dash without a whole. */
export function partText(part: number | undefined, whole: number | undefined): string {
  return part === undefined || !whole ? none : percent.format(part / whole);
}

/** Formats a duration in seconds: `0.8 s`, `42 s`, `3 min`, `2 h 10 min`. */
export function durationText(seconds: number | undefined): string {
  if (seconds === undefined) return none;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${number.format(Math.round(seconds * 10) / 10)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
}

/** Formats the time of an instant in UTC, with its day if it is another day than `now`. */
export function instantText(at: number, now: number): string {
  const [day = "", time = ""] = new Date(at).toISOString().split("T");
  const clock = time.slice(0, 5);
  return day === new Date(now).toISOString().slice(0, 10) ? `${clock} UTC` : `${day} ${clock} UTC`;
}

/** Formats an instant for a column whose heading says that it is in UTC: to the second if it is of the day of `now`. */
export function secondText(at: number | undefined, now: number): string {
  if (at === undefined) return none;
  const text = new Date(at).toISOString();
  return text.slice(0, 10) === new Date(now).toISOString().slice(0, 10)
    ? text.slice(11, 19)
    : text.slice(0, 16).replace("T", " ");
}

/** Formats the instant of the newest occurrence for such a column: whether something goes on shows in how long ago it was. */
export function lastText(at: number | undefined, now: number): string {
  return at === undefined ? none : `${secondText(at, now)}, ${agoText(at, now)}`;
}

/** Formats from when until when something happened, and how often. */
export function runText({ since, until, count }: Run, now: number): string {
  const [from, to] = [secondText(since, now), secondText(until, now)];
  return from === to ? `${from} (${countText(count)})` : `${from} to ${to} (${countText(count)})`;
}

/** Formats how long ago something was. */
export function agoText(at: number, now: number): string {
  return `${durationText(Math.max(1, Math.round((now - at) / 1000)))} ago`;
}

/** Formats the value of a property: a country by its name. */
export function valueText(dimension: string, value: string): string {
  if (value === "other") return "other";
  if (dimension !== "country" || !/^[A-Z]{2}$/.test(value)) return value;
  return countryNames.of(value) ?? value;
}

/** Writes a name of the code as words: `sends_per_hour` becomes `Sends per hour`. */
export function wordsOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
