import { z } from "zod";

const webhookOutcomes = ["failed", "dead_lettered", "handled", "overtaken"] as const;

/** What became of a webhook that has failed: `overtaken` if a newer event was handled before. */
export type WebhookOutcome = (typeof webhookOutcomes)[number];

/** A webhook that failed, became a dead letter, or was handled after it had failed. It holds no body. */
export interface WebhookEntry {
  /** Unix milliseconds. */
  readonly at: number;
  readonly outcome: WebhookOutcome;
  /** The event's key, the same in every delivery of it. */
  readonly key: string;
  /** The kind of the event, such as `message.status.update`. */
  readonly kind: string;
  readonly error?: string | undefined;
}

/** An action of an operator. */
export interface ActionEntry {
  /** Unix milliseconds. */
  readonly at: number;
  readonly action: string;
  readonly operator: string;
  readonly outcome: string;
  readonly target?: string | undefined;
}

/**
 * The figures of an hour or of a day, in one document: a store cannot list its keys, so a counter for each series could not be found
 * again. A series is a metric, alone or with one property: `sent`, `sent|country:DE`.
 */
export interface Figures {
  readonly counts: Map<string, number>;
  /** Times in seconds, as counts of the buckets between the bounds. */
  readonly times: Map<string, number[]>;
  /** The newest instants of something, as Unix milliseconds. */
  readonly newest: Map<string, number>;
  readonly webhooks: WebhookEntry[];
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
const maxEntries = 100;

/** A record that no process could have written is damaged. A full document also has a series `other` for each metric. */
const seriesOf = <Value extends z.ZodType>(value: Value) =>
  z.record(z.string(), value).refine((series) => Object.keys(series).length <= 2 * maxSeries);
const count = z.number().finite();
/** Unix milliseconds that are a date. */
const instant = z.number().min(0).max(8.64e15);
const webhookEntry = z.object({
  at: instant,
  outcome: z.enum(webhookOutcomes),
  key: z.string(),
  kind: z.string(),
  error: z.string().optional(),
});
const actionEntry = z.object({
  at: instant,
  action: z.string(),
  operator: z.string(),
  outcome: z.string(),
  target: z.string().optional(),
});
const shape = z.object({
  counts: seriesOf(count),
  times: seriesOf(z.array(count).length(bounds.length + 1)),
  newest: seriesOf(instant),
  webhooks: z.array(webhookEntry).max(maxEntries),
  actions: z.array(actionEntry).max(maxEntries),
});

/** Creates figures without any. */
export function createFigures(): Figures {
  return { counts: new Map(), times: new Map(), newest: new Map(), webhooks: [], actions: [] };
}

/** Reads a stored document. A document that is absent or damaged begins anew: figures must not stop anything. */
export function parseFigures(text: string | undefined): Figures {
  try {
    const { counts, times, newest, ...lists } = shape.parse(JSON.parse(text ?? ""));
    const [countMap, timeMap, newestMap] = [
      new Map(Object.entries(counts)),
      new Map(Object.entries(times)),
      new Map(Object.entries(newest)),
    ];
    return { counts: countMap, times: timeMap, newest: newestMap, ...lists };
  } catch {
    return createFigures();
  }
}

/** Writes a document for the store. */
export function formatFigures({ counts, times, newest, ...lists }: Figures): string {
  const maps = {
    counts: Object.fromEntries(counts),
    times: Object.fromEntries(times),
    newest: Object.fromEntries(newest),
  };
  return JSON.stringify({ ...maps, ...lists });
}

/** Adds to a count. */
export function addCount({ counts, times }: Figures, series: string, by = 1): void {
  const name = boundedName(counts, counts.size + times.size, series);
  counts.set(name, (counts.get(name) ?? 0) + by);
}

/** Adds a time to its bucket. */
export function addTime(figures: Figures, series: string, seconds: number): void {
  const bucket = bounds.findIndex((bound) => seconds <= bound);
  const counts = bucketsOf(figures, series);
  const index = bucket === -1 ? bounds.length : bucket;
  counts[index] = (counts[index] ?? 0) + 1;
}

/** Notes the instant of something. */
export function addInstant({ newest }: Figures, name: string, at: number): void {
  newest.set(name, Math.max(newest.get(name) ?? 0, at));
}

/** Adds all figures of one document to another one. */
export function addFigures(to: Figures, from: Figures): void {
  for (const [series, by] of from.counts) addCount(to, series, by);
  for (const [series, added] of from.times) {
    const counts = bucketsOf(to, series);
    for (const [index, by] of added.entries()) counts[index] = (counts[index] ?? 0) + by;
  }
  for (const [name, at] of from.newest) addInstant(to, name, at);
  addEntries(to.webhooks, from.webhooks);
  addEntries(to.actions, from.actions);
}

/** Adds an entry to a list, which keeps the newest ones. */
export function addEntry<Entry extends { readonly at: number }>(list: Entry[], entry: Entry): void {
  list.push(entry);
  if (list.length > maxEntries) list.splice(0, list.length - maxEntries);
}

function addEntries<Entry extends { readonly at: number }>(list: Entry[], added: readonly Entry[]): void {
  list.push(...added);
  list.sort((left, right) => left.at - right.at);
  list.splice(0, list.length - maxEntries);
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
