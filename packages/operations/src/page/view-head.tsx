import type { Child } from "hono/jsx";
import { type Period, periods } from "../figures/periods.ts";
import { type PageContext, urlOf } from "../page-context.ts";
import { type Html, nothing } from "./elements.tsx";
import { valueText } from "./format.ts";

const labels: Readonly<Record<Period, string>> = { today: "Today", week: "7 days", month: "30 days" };

interface ViewHeadProps {
  readonly context: PageContext;
  readonly view: string;
  readonly title: string;
  /** The question that the view answers, in a sentence or two. */
  readonly lead: Child;
}

/** The head of a view: its title, what it is for, and the period, which is part of the URL. */
export function ViewHead({ context, view, title, lead }: ViewHeadProps): Html {
  const { period, filter } = context;
  return (
    <>
      <div class="view-head">
        <h1>{title}</h1>
        {filter && (
          <span class="filter">
            {valueText(filter.dimension, filter.value)}
            <a class="button bare text" href={urlOf(context, view, { filter: undefined })}>
              Show all
            </a>
          </span>
        )}
      </div>
      <nav class="tabs" aria-label="Period">
        {periods.map((name) => (
          <a href={urlOf(context, view, { period: name })} aria-current={name === period ? "true" : undefined}>
            {labels[name]}
          </a>
        ))}
      </nav>
      {lead ? <p class="lead">{lead}</p> : nothing}
    </>
  );
}

/** Formats the beginning of a slot: the hour of today, else the day. */
export function slotLabel(period: Period, start: number): string {
  const text = new Date(start).toISOString();
  return period === "today" ? text.slice(11, 16) : text.slice(5, 10);
}
