import { type Doorcode, doorcodeParts } from "@doorcode/core/adapter";
import { addFigures, createFigures, type Figures, parseFigures, quantileOf } from "./figures.ts";
import { type Dimension, dimensions } from "./measure.ts";
import { dayKey, type Period, slotsOf } from "./periods.ts";

/** A property and its value, by which figures are filtered. */
export interface Filter {
  readonly dimension: Dimension;
  readonly value: string;
}

/** The figures of a period. Its lists have the newest entry first. */
export interface PeriodFigures {
  /** The hours or days, the oldest first. */
  readonly slots: readonly { readonly start: number; readonly figures: Figures }[];
  readonly total: Figures;
}

/** Reads the figures of a period. @throws DoorcodeError or the store's error */
export async function readFigures(doorcode: Doorcode, period: Period): Promise<PeriodFigures> {
  const { clock, store, name } = doorcode[doorcodeParts];
  const now = clock.now();
  const slots = slotsOf(name, period, now);
  const texts = await store.get([...slots.map(({ key }) => key), dayKey(name, now)]);
  const documents = slots.map(({ start }, index) => ({ start, figures: parseFigures(texts[index]) }));
  const total = createFigures();
  for (const { figures } of documents) addFigures(total, figures);
  // The documents of hours have no lists.
  const { webhooks, actions } = period === "today" ? parseFigures(texts.at(-1)) : total;
  return {
    slots: documents,
    total: { ...total, webhooks: webhooks.toReversed(), actions: actions.toReversed() },
  };
}

/** Returns the count of a metric, with a filter that of its value; `undefined` if the metric is not counted by that property. */
export function countOf(figures: Figures, metric: string, filter?: Filter): number | undefined {
  if (!filter) return figures.counts.get(metric) ?? 0;
  const count = figures.counts.get(`${metric}|${filter.dimension}:${filter.value}`);
  if (count !== undefined) return count;
  return countedBy[metric]?.includes(filter.dimension) ? 0 : undefined;
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
  refused: ["purpose", "release"],
};

/** Returns a quantile of a time in seconds; `undefined` without any, or if the time is not counted by the property. */
export function timeOf(figures: Figures, metric: string, part: number, filter?: Filter): number | undefined {
  return quantileOf(figures.times.get(filter ? `${metric}|${filter.dimension}:${filter.value}` : metric), part);
}

/** Returns the values of a property of a metric with their counts, the greatest count first. */
export function valuesOf(
  figures: Figures,
  metric: string,
  property: string,
  filter?: Filter,
): readonly { readonly value: string; readonly count: number }[] {
  const prefix = `${metric}|${filter ? `${filter.dimension}:${filter.value}|` : ""}${property}:`;
  return [...figures.counts]
    .filter(([series]) => series.startsWith(prefix) && !series.slice(prefix.length).includes("|"))
    .map(([series, count]) => ({ value: series.slice(prefix.length), count }))
    .sort((left, right) => right.count - left.count);
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
function priceOf(prices: Prices, country: string): number {
  return prices[country] ?? prices.other ?? 0;
}

/** The texts to a country whose login was not confirmed. */
export interface UnconfirmedTexts {
  readonly country: string;
  readonly sent: number;
  readonly unconfirmed: number;
  /** `undefined` without prices. */
  readonly cost: number | undefined;
}

/** Returns the texts that nobody confirmed, by country: all texts, minus a text for each confirmed login. */
export function unconfirmedTexts(figures: Figures, prices: Prices | undefined): readonly UnconfirmedTexts[] {
  return valuesOf(figures, "sent", "country")
    .map(({ value: country, count: sent }) => {
      const confirmed = countOf(figures, "confirmed", { dimension: "country", value: country }) ?? 0;
      const unconfirmed = Math.max(0, sent - confirmed);
      return { country, sent, unconfirmed, cost: prices && unconfirmed * priceOf(prices, country) };
    })
    .sort((left, right) => right.unconfirmed - left.unconfirmed);
}
