import { type Period, periods } from "../figures/periods.ts";
import { type PageContext, type ShownView, urlOf } from "../page-context.ts";
import { type Html, nothing } from "../page-parts.ts";
import { valueText } from "./format.ts";
import type { ViewName } from "./navigation.ts";

const labels: Readonly<Record<Period, string>> = { today: "Today", week: "7 days", month: "30 days" };

interface ViewHeadProps extends Omit<ShownView, "children"> {
  readonly context: PageContext;
  readonly view: ViewName;
}

/** The head of a view: its title, what it is for, and the period, which is part of the URL. */
export function ViewHead({ context, view, title, lead, period, filter }: ViewHeadProps): Html {
  if (lead === undefined) return nothing;
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
      {period && (
        <nav class="tabs" aria-label="Period">
          {periods.map((name) => (
            <a
              href={urlOf(context, view, { period: name, filter })}
              aria-current={name === period ? "true" : undefined}
            >
              {labels[name]}
            </a>
          ))}
        </nav>
      )}
      <p class="lead">{lead}</p>
    </>
  );
}
