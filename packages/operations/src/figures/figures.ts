import { readRecord } from "@doorcode/core/adapter";
import { z } from "zod";
import {
  type ActionEntry,
  actionShape,
  addAction,
  addGroup,
  addWebhook,
  type GroupEntry,
  groupShape,
  instantShape,
  maxEntries,
  type WebhookEntry,
  webhookShape,
} from "./entries.ts";

/** How often something happened without a pause of ten minutes, and from when until when, as Unix milliseconds. */
export interface Run {
  readonly since: number;
  readonly until: number;
  readonly count: number;
}

/** How often something happened, and when, as Unix milliseconds. */
export interface Occurrence {
  readonly count: number;
  readonly first: number;
  readonly last: number;
  /** The newest runs, the oldest of them first. */
  readonly runs: readonly Run[];
}

/** A longer pause ends a run: an outage that comes back after it is another one. */
export const maxPauseMilliseconds = 600_000;
const maxRuns = 3;

/**
 * The figures of an hour or of a day, in one document: a store cannot list its keys, so a counter for each series could not be found
 * again. A series is a metric, alone or with one property: `sent`, `sent|country:DE`. Only days have the lists.
 */
export interface Figures {
  readonly counts: Map<string, Occurrence>;
  /** Times in seconds, as counts of the buckets between the bounds. */
  readonly times: Map<string, number[]>;
  /** The codes of the last minutes that are not confirmed yet, by minute and country: `29800123|DE`. */
  readonly open: Map<string, number>;
  /** Webhooks that have failed, by the keys of their events. */
  readonly webhooks: Map<string, WebhookEntry>;
  /** Groups that have refused codes, by their digests. */
  readonly groups: Map<string, GroupEntry>;
  /** The oldest first. */
  readonly actions: ActionEntry[];
}

/** The upper bounds of the buckets of a time, in seconds. The last bucket has none. */
const bounds: readonly number[] = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 8, 12, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1800,
  3600,
];

const maxSeries = 2000;
/** Of all series, so many have no country. Strangers who ask for codes in every country cannot take their place. */
const maxWithoutCountry = 500;
const maxReleases = 20;
/** No code lives longer than ten minutes. */
const maxOpenMinutes = 11;
const maxOpen = 500;

/** A record that no process could have written is damaged. A full document also has a series `other` for each metric. */
const mapOf = <Value>(value: z.ZodType<Value>, max: number) =>
  z
    .record(z.string(), value)
    .refine((record) => Object.keys(record).length <= max)
    .transform((record) => new Map(Object.entries(record)));
const count = z.number().finite();
const occurrenceShape = z.object({
  count,
  first: instantShape,
  last: instantShape,
  runs: z.array(z.object({ since: instantShape, until: instantShape, count })).max(maxRuns),
});
const shape: z.ZodType<Figures> = z.object({
  counts: mapOf(occurrenceShape, 2 * maxSeries),
  times: mapOf(z.array(count).length(bounds.length + 1), 2 * maxSeries),
  open: mapOf(count, maxOpen),
  webhooks: mapOf(webhookShape, maxEntries),
  groups: mapOf(groupShape, maxEntries),
  actions: z.array(actionShape).max(maxEntries),
});

/** Creates figures without any. */
export function createFigures(): Figures {
  const lists = { webhooks: new Map(), groups: new Map(), actions: [] };
  return { counts: new Map(), times: new Map(), open: new Map(), ...lists };
}

/** Reads a stored document. A document that is absent or damaged begins anew: figures must not stop anything. */
export function parseFigures(text: string | undefined): Figures {
  return readRecord(shape, text) ?? createFigures();
}

/** Writes a document for the store. */
export function formatFigures(figures: Figures): string {
  return JSON.stringify(figures, (_name, value) => (value instanceof Map ? Object.fromEntries(value) : value));
}

/** Counts something that happens at this instant. */
export function addCount(figures: Figures, series: string, at: number, by = 1): void {
  addOccurrence(figures, series, { count: by, first: at, last: at, runs: [{ since: at, until: at, count: by }] });
}

function addOccurrence({ counts, times }: Figures, series: string, added: Occurrence): void {
  const name = boundedName(counts, counts.size + times.size, series);
  const known = counts.get(name);
  counts.set(name, known ? joinOccurrences(known, added) : added);
}

function joinOccurrences(known: Occurrence, added: Occurrence): Occurrence {
  return {
    count: known.count + added.count,
    first: Math.min(known.first, added.first),
    last: Math.max(known.last, added.last),
    runs: goesOn(known.runs, added.runs) ?? joinRuns([...known.runs, ...added.runs]),
  };
}

/** Returns the runs if all that is added goes on with the newest one, as what a process counts does. */
function goesOn(known: readonly Run[], [added, another]: readonly Run[]): readonly Run[] | undefined {
  const newest = known.at(-1);
  if (!newest || !added || another || added.since < newest.since || isPause(newest, added)) return undefined;
  return [...known.slice(0, -1), joinTwo(newest, added)];
}

/** Joins runs between which there is no pause of ten minutes, and returns the newest. */
export function joinRuns(runs: readonly Run[]): readonly Run[] {
  const joined: Run[] = [];
  for (const run of runs.toSorted((left, right) => left.since - right.since)) {
    const before = joined.at(-1);
    if (before && !isPause(before, run)) joined[joined.length - 1] = joinTwo(before, run);
    else joined.push(run);
  }
  return joined.slice(-maxRuns);
}

function isPause(older: Run, newer: Run): boolean {
  return newer.since - older.until > maxPauseMilliseconds;
}

function joinTwo(older: Run, newer: Run): Run {
  return { since: older.since, until: Math.max(older.until, newer.until), count: older.count + newer.count };
}

/** Adds a time to its bucket. */
export function addTime(figures: Figures, series: string, seconds: number): void {
  const bucket = bounds.findIndex((bound) => seconds <= bound);
  const counts = bucketsOf(figures, series);
  const index = bucket === -1 ? bounds.length : bucket;
  counts[index] = (counts[index] ?? 0) + 1;
}

/** Adds a code to those of its minute that are open, or takes off one that was confirmed. */
export function addOpen({ open }: Figures, country: string, sentAt: number, by: 1 | -1): void {
  const name = `${Math.floor(sentAt / 60_000)}|${country}`;
  open.set(name, (open.get(name) ?? 0) + by);
}

/** Adds all figures of one document to another one. */
export function addFigures(to: Figures, from: Figures): void {
  for (const [series, added] of from.counts) addOccurrence(to, series, added);
  for (const [series, added] of from.times) {
    const counts = bucketsOf(to, series);
    for (const [index, by] of added.entries()) counts[index] = (counts[index] ?? 0) + by;
  }
  for (const [name, by] of from.open) to.open.set(name, (to.open.get(name) ?? 0) + by);
  forgetEndedCodes(to);
  for (const [key, entry] of from.webhooks) addWebhook(to.webhooks, key, entry);
  for (const [digest, entry] of from.groups) addGroup(to.groups, digest, entry);
  for (const entry of from.actions) addAction(to.actions, entry);
}

/** The newest minute of a document tells which codes are too old to be open. */
function forgetEndedCodes({ open }: Figures): void {
  const names = [...open.keys()].sort((left, right) => Number.parseInt(right, 10) - Number.parseInt(left, 10));
  const newest = Number.parseInt(names[0] ?? "", 10);
  for (const [index, name] of names.entries()) {
    if (index >= maxOpen || Number.parseInt(name, 10) <= newest - maxOpenMinutes) open.delete(name);
  }
}

function bucketsOf({ counts, times }: Figures, series: string): number[] {
  const name = boundedName(times, counts.size + times.size, series);
  const buckets = times.get(name) ?? bounds.map(() => 0).concat(0);
  times.set(name, buckets);
  return buckets;
}

/**
 * Returns the name under which a series is counted. A document that is full counts a series that is new to it as `other`, so that no
 * stranger can make it grow.
 */
function boundedName(kept: ReadonlyMap<string, unknown>, size: number, series: string): string {
  if (kept.has(series)) return series;
  const max = series.includes("|country:") ? maxSeries - maxWithoutCountry : maxSeries;
  const isFull = size >= max || (series.includes("|release:") && countReleases(kept, series) >= maxReleases);
  return isFull ? series.replace(/:[^|]*/g, ":other") : series;
}

function countReleases(kept: ReadonlyMap<string, unknown>, series: string): number {
  const prefix = series.slice(0, series.indexOf(":") + 1);
  return [...kept.keys()].filter((name) => name.startsWith(prefix)).length;
}

/**
 * Returns a quantile of times, between the bounds of its bucket; `undefined` without any time.
 *
 * @param part - from 0 to 1: 0.5 is the median.
 */
export function quantileOf(counts: readonly number[] | undefined, part: number): number | undefined {
  const total = counts?.reduce((sum, by) => sum + by, 0) ?? 0;
  if (!counts || total === 0) return undefined;
  const rank = part * total;
  let below = 0;
  for (const [index, inBucket] of counts.entries()) {
    if (inBucket > 0 && below + inBucket >= rank) {
      const from = bounds[index - 1] ?? 0;
      const to = bounds[index] ?? from;
      return from + ((rank - below) / inBucket) * (to - from);
    }
    below += inBucket;
  }
  return bounds.at(-1);
}
