import { type Doorcode, doorcodeParts } from "@doorcode/core/adapter";
import { addFigures, createFigures, type Figures, type Occurrence, parseFigures, quantileOf } from "./figures.ts";
import { type Dimension, dimensions } from "./measure.ts";
import { dayKey, dayMilliseconds, type Period, slotsOf } from "./periods.ts";

/** A property and its value, by which figures are filtered. */
export interface Filter {
  readonly dimension: Dimension;
  readonly value: string;
}

/** The figures of a period. Its lists have the newest entry first. */
export interface PeriodFigures {
  /** The hours or days, the oldest first. */
  readonly slots: readonly { readonly label: string; readonly figures: Figures }[];
  readonly total: Figures;
  /** The codes that can still be confirmed, by country. */
  readonly open: ReadonlyMap<string, number>;
}

/** Reads the figures of a period. @throws DoorcodeError or the store's error */
export async function readFigures(doorcode: Doorcode, period: Period): Promise<PeriodFigures> {
  const { clock, store, name, login } = doorcode[doorcodeParts];
  const now = clock.now();
  const slots = slotsOf(name, period, now);
  // A webhook that failed before midnight may be handled after it, and a code may be open, so the lists are those of both days.
  const listKeys = [dayKey(name, now - dayMilliseconds), dayKey(name, now)];
  const texts = await store.get([...slots.map(({ key }) => key), ...listKeys]);
  const documents = slots.map(({ label }, index) => ({ label, figures: parseFigures(texts[index]) }));
  const total = createFigures();
  for (const { figures } of documents) addFigures(total, figures);
  const lists = period === "today" ? createFigures() : total;
  if (period === "today") for (const text of texts.slice(slots.length)) addFigures(lists, parseFigures(text));
  const from = slots[0]?.start ?? 0;
  const newestFirst = <Entry extends { readonly at: number }>(entries: ReadonlyMap<string, Entry>) =>
    new Map([...entries].filter(([, { at }]) => at >= from).sort(([, left], [, right]) => right.at - left.at));
  return {
    slots: documents,
    total: {
      ...total,
      webhooks: newestFirst(lists.webhooks),
      groups: newestFirst(lists.groups),
      actions: lists.actions.filter(({ at }) => at >= from).reverse(),
    },
    open: openCodes(lists, Math.max(from, now - (login?.codes.lifetimeSeconds ?? 0) * 1000)),
  };
}

/** Returns the codes by country that were sent since an instant and are not confirmed. */
function openCodes({ open }: Figures, since: number): Map<string, number> {
  const byCountry = new Map<string, number>();
  for (const [name, count] of open) {
    const [minute = "", country = ""] = name.split("|");
    if ((Number(minute) + 1) * 60_000 > since) byCountry.set(country, (byCountry.get(country) ?? 0) + count);
  }
  return byCountry;
}

/** Returns the count of a metric, with a filter that of its value; `undefined` if the metric is not counted by that property. */
export function countOf(figures: Figures, metric: string, filter?: Filter): number | undefined {
  const occurrence = occurrenceOf(figures, metric, filter);
  if (occurrence || !filter) return occurrence?.count ?? 0;
  return countedBy[metric]?.includes(filter.dimension) ? 0 : undefined;
}

/** Returns how often a metric has occurred and when; `undefined` if it has not. */
export function occurrenceOf(figures: Figures, metric: string, filter?: Filter): Occurrence | undefined {
  return figures.counts.get(filter ? `${metric}|${filter.dimension}:${filter.value}` : metric);
}

const byLogin: readonly Dimension[] = ["country", "purpose", "release"];
const byText: readonly Dimension[] = dimensions;

/** The properties by which the metrics of the overview are counted. */
const countedBy: Readonly<Record<string, readonly Dimension[]>> = {
  started: byLogin,
  rejected: byLogin,
  sent: byText,
  send_failed: byText,
  confirmed: byText,
  delivered: ["country", "channel", "release"],
  undelivered: ["country", "release"],
  not_sent: byLogin,
};

/** Returns a quantile of a time in seconds; `undefined` without any, or if the time is not counted by the property. */
export function timeOf(figures: Figures, metric: string, part: number, filter?: Filter): number | undefined {
  return quantileOf(figures.times.get(filter ? `${metric}|${filter.dimension}:${filter.value}` : metric), part);
}

/** Returns how often somebody requested a code and got none; `undefined` by channel, which is chosen when a code is sent. */
export function withoutCode(figures: Figures, filter?: Filter): number | undefined {
  const refused = countOf(figures, "not_sent", filter);
  return refused === undefined ? undefined : refused + sumOf(figures, "suppressed", "limit", filter);
}

/** Returns how often somebody requested a code, the first one of a login or another; `undefined` by channel. */
export function requestsOf(figures: Figures, filter?: Filter): number | undefined {
  const notSent = withoutCode(figures, filter);
  return notSent === undefined ? undefined : (countOf(figures, "sent", filter) ?? 0) + notSent;
}

/** A value of a property, and how often a metric has occurred with it. */
export interface ValueOccurrence extends Occurrence {
  readonly value: string;
}

/** Returns the values of a property of a metric, the greatest count first. */
export function valuesOf(
  figures: Figures,
  metric: string,
  property: string,
  filter?: Filter,
): readonly ValueOccurrence[] {
  const prefix = `${metric}|${filter ? `${filter.dimension}:${filter.value}|` : ""}${property}:`;
  return [...figures.counts]
    .filter(([series]) => series.startsWith(prefix) && !series.slice(prefix.length).includes("|"))
    .map(([series, occurrence]) => ({ value: series.slice(prefix.length), ...occurrence }))
    .sort((left, right) => right.count - left.count);
}

/** Returns the sum of the counts of all values of a property. */
export function sumOf(figures: Figures, metric: string, property: string, filter?: Filter): number {
  return valuesOf(figures, metric, property, filter).reduce((sum, { count }) => sum + count, 0);
}

/** Returns the values of a property that occur in any metric, the most frequent first. */
export function valuesOfDimension(figures: Figures, dimension: Dimension): readonly string[] {
  const counts = new Map<string, number>();
  for (const metric of Object.keys(countedBy)) {
    for (const { value, count } of valuesOf(figures, metric, dimension))
      counts.set(value, (counts.get(value) ?? 0) + count);
  }
  return [...counts].sort(([, left], [, right]) => right - left).map(([value]) => value);
}

/** The price of a text by ISO 3166 country, and that of all `other` countries. */
export type Prices = Readonly<Record<string, number>>;

/** Returns the cost of the texts; `undefined` without prices, or for a filter that says nothing of the country. */
export function costOf(figures: Figures, prices: Prices | undefined, filter?: Filter): number | undefined {
  if (!prices || (filter && filter.dimension !== "country")) return undefined;
  if (filter) return (countOf(figures, "sent", filter) ?? 0) * priceOf(prices, filter.value);
  const countries = valuesOf(figures, "sent", "country");
  const others = (countOf(figures, "sent") ?? 0) - countries.reduce((sum, { count }) => sum + count, 0);
  return countries.reduce(
    (sum, { value, count }) => sum + count * priceOf(prices, value),
    others * (prices.other ?? 0),
  );
}

/** Returns the price of a text to a country. */
export function priceOf(prices: Prices, country: string): number {
  return prices[country] ?? prices.other ?? 0;
}

/** The texts to a country, and what became of them. */
export interface UnconfirmedTexts {
  readonly country: string;
  readonly sent: number;
  /** The texts whose code can still be confirmed. */
  readonly open: number;
  readonly unconfirmed: number;
  /** The cost of the unconfirmed texts; `undefined` without prices. */
  readonly cost: number | undefined;
}

/** Returns the texts that nobody confirmed, by country: all texts, minus a text for each confirmed login and those that are open. */
export function unconfirmedTexts(
  { total, open: codes }: Pick<PeriodFigures, "total" | "open">,
  prices: Prices | undefined,
): readonly UnconfirmedTexts[] {
  return valuesOf(total, "sent", "country")
    .map(({ value: country, count: sent }) => {
      const confirmed = countOf(total, "confirmed", { dimension: "country", value: country }) ?? 0;
      const open = Math.max(0, codes.get(country) ?? 0);
      const unconfirmed = Math.max(0, sent - confirmed - open);
      return { country, sent, open, unconfirmed, cost: prices && unconfirmed * priceOf(prices, country) };
    })
    .sort((left, right) => right.unconfirmed - left.unconfirmed);
}
