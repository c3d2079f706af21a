import { type Doorcode, doorcodeParts } from "@doorcode/core/adapter";
import type { Figures } from "../figures/figures.ts";
import { type Filter, occurrenceOf, readFigures, valuesOf } from "../figures/read-figures.ts";

/** The views of the page in the order of its navigation, with the label and the icon of each. */
export const views = [
  ["overview", "Overview", "overview"],
  ["limits", "Limits", "gauge"],
  ["webhooks", "Webhooks", "webhook"],
  ["dead-letters", "Dead letters", "warning"],
  ["store", "Store", "store"],
  ["users", "Users", "users"],
  ["activity", "Activity", "activity"],
] as const;

/** The name of a view. */
export type ViewName = (typeof views)[number][0];

/** What stands beside the name of a view: `1` and `closed`. A phone shows the mark alone. */
interface Badge {
  readonly mark: string;
  readonly word: string;
}

/** What needs an operator now, by the view that shows it. */
export type Badges = Readonly<Partial<Record<ViewName, Badge>>>;

/** Reads what the navigation says beside the names of the views. Rejects never: a view says itself what does not answer. */
export async function readBadges(doorcode: Doorcode): Promise<Badges> {
  const { login, webhooks, clock } = doorcode[doorcodeParts];
  const [state, counts, figures] = await Promise.allSettled([
    login ? doorcode.limits.state() : [],
    webhooks?.inbox ? doorcode.deadLetters.counts() : undefined,
    readFigures(doorcode, "today"),
  ]);
  const closed = state.status === "fulfilled" ? state.value.filter(({ kind }) => kind !== "app").length : 0;
  const dead = (counts.status === "fulfilled" && counts.value?.dead) || 0;
  const fails = (metric: string, success: string) =>
    figures.status === "fulfilled" && isFailing(figures.value.total, metric, success, clock.now());
  return {
    ...(fails("send_failed", "sent") && { overview: { mark: "!", word: "failing" } }),
    ...(closed > 0 && { limits: { mark: String(closed), word: "closed" } }),
    ...(fails("webhook_failed", "handled") && { webhooks: { mark: "!", word: "failing" } }),
    ...(dead > 0 && { "dead-letters": { mark: String(dead), word: "" } }),
  };
}

/** Longer than processes take to write their figures. */
const momentMilliseconds = 15_000;

/** What failed a moment ago, or since when nothing has succeeded, is failing now. */
export function isFailing(figures: Figures, metric: string, success: string, now: number, filter?: Filter): boolean {
  const last = Math.max(...valuesOf(figures, metric, "error", filter).map((failure) => failure.last));
  return now - last < momentMilliseconds || last > (occurrenceOf(figures, success, filter)?.last ?? 0);
}
