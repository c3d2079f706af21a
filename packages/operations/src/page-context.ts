import type { Doorcode } from "@doorcode/core/adapter";
import type { Child } from "hono/jsx";
import { dimensions } from "./figures/measure.ts";
import { type Period, periods } from "./figures/periods.ts";
import type { Filter, Prices } from "./figures/read-figures.ts";
import type { OperationsOptions } from "./options.ts";
import type { ViewName } from "./page/navigation.ts";

/** What a view or an action knows of its request. */
export interface PageContext {
  readonly doorcode: Doorcode;
  readonly options: Pick<OperationsOptions<never>, "checkEndpoint">;
  /** `undefined` if the app has given none. */
  readonly prices: Prices | undefined;
  /** The path of the mount, as the browser sees it. */
  readonly basePath: string;
  /** Unix milliseconds. */
  readonly now: number;
  readonly query: Readonly<Record<string, string>>;
  readonly period: Period;
  readonly filter: Filter | undefined;
}

/** A view: its head and what it shows. */
export interface ShownView {
  readonly title: string;
  /** The question that the view answers, in a sentence or two. A view without it has a head of its own. */
  readonly lead?: string;
  /** The period that the view shows, if there is one to choose. */
  readonly period?: Period;
  /** The one country, channel, purpose or release that the view shows. */
  readonly filter?: Filter | undefined;
  readonly children: Child;
}

/** Reads the period and the filter of a query. Anything else in it is ignored. */
export function readQuery(query: Readonly<Record<string, string>>): Pick<PageContext, "period" | "filter"> {
  const period = periods.find((name) => name === query.period) ?? "today";
  const dimension = dimensions.find((name) => query[name]);
  const value = dimension && query[dimension];
  // The page repeats the value, so it must be one that figures can have.
  const form = dimension === "country" ? /^([A-Z]{2}|other)$/ : /^[\w.+-]{1,64}$/;
  return { period, filter: dimension && value && form.test(value) ? { dimension, value } : undefined };
}

/** Returns the URL of a view. */
export function viewUrl({ basePath }: Pick<PageContext, "basePath">, view: ViewName): string {
  return `${basePath}/${view === "overview" ? "" : view}`;
}

/** Returns the URL of a view with a period, by default that of the page, and a filter. */
export function urlOf(
  context: PageContext,
  view: ViewName,
  { period = context.period, filter }: { period?: Period; filter?: Filter | undefined } = {},
): string {
  const query = new URLSearchParams();
  if (period !== "today") query.set("period", period);
  if (filter) query.set(filter.dimension, filter.value);
  const text = query.toString();
  return `${viewUrl(context, view)}${text === "" ? "" : `?${text}`}`;
}
