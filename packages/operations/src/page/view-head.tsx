import type { Child } from "hono/jsx";
import { type Period, periods } from "../figures/periods.ts";
import type { Filter } from "../figures/read-figures.ts";
import { type PageContext, urlOf } from "../page-context.ts";
import type { Html } from "../page-parts.ts";
import { valueText } from "./format.ts";
import type { ViewName } from "./navigation.ts";

const labels: Readonly<Record<Period, string>> = { today: "Today", week: "7 days", month: "30 days" };

interface ViewHeadProps {
  readonly context: PageContext;
  readonly view: ViewName;
  readonly title: string;
  /** The question that the view answers, in a sentence or two. */
  readonly lead: Child;
  /** The one country, channel, purpose or release that the view shows. */
  readonly filter?: Filter | undefined;
}

/** The head of a view: its title, what it is for, and the period, which is part of the URL. */
export function ViewHead({ context, view, title, lead, filter }: ViewHeadProps): Html {
  return (
    <>
      <div class="view-head">
        <h1>{title}</h1>
        {filter && (
          <span class="filter">
            {valueText(filter.dimension, filter.value)}
            <a class="button bare text" href={urlOf(context, view)}>
              Show all
            </a>
          </span>
        )}
      </div>
      <nav class="tabs" aria-label="Period">
        {periods.map((name) => (
          <a
            href={urlOf(context, view, { period: name, filter })}
            aria-current={name === context.period ? "true" : undefined}
          >
            {labels[name]}
          </a>
        ))}
      </nav>
      <p class="lead">{lead}</p>
    </>
  );
}

/** Formats the beginning of a slot: the hour of today, else the day. */
export function slotLabel(period: Period, start: number): string {
  const text = new Date(start).toISOString();
  return period === "today" ? text.slice(11, 16) : text.slice(5, 10);
}
