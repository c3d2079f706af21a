import type { Figures } from "../figures/figures.ts";
import type { Dimension } from "../figures/measure.ts";
import { costOf, countOf, requestsOf, valuesOfDimension, withoutCode } from "../figures/read-figures.ts";
import { countText, moneyText, partText, valueText, wordsOf } from "../page/format.ts";
import { type PageContext, urlOf } from "../page-context.ts";
import { Card, type Html, nothing, Table } from "../page-parts.ts";

const leads: Readonly<Record<Dimension, string>> = {
  country: "Most requests first.",
  channel: "A request belongs to no channel: the channel is chosen when a code is sent.",
  purpose: "A delivery is counted by no purpose.",
  release: "The release of your app that was running.",
};

const maxRows = 20;

/** Shows how many arrive by the values of a property, each of which leads to its own overview. */
export function breakdownCard(context: PageContext, total: Figures, dimension: Dimension): Html {
  const rows = valuesOfDimension(total, dimension)
    .map((value) => {
      const filter = { dimension, value };
      return { value, filter, requests: requestsOf(total, filter), sent: countOf(total, "sent", filter) ?? 0 };
    })
    .sort((left, right) => (right.requests ?? right.sent) - (left.requests ?? left.sent))
    .slice(0, maxRows);
  if (rows.length === 0) return nothing;
  const isCountry = dimension === "country";
  return (
    <Card id={`by-${dimension}`} title={`By ${dimension}`} lead={leads[dimension]}>
      <Table
        label={`By ${dimension}`}
        columns={[
          wordsOf(dimension),
          "#Requests",
          "#Got no code",
          "#Codes sent",
          ...(isCountry ? ["#Cost"] : []),
          "#Delivered",
          "#Confirmed",
          "#Confirmed of codes",
          "#Confirmed of requests",
        ]}
        rows={rows.map(({ value, filter, requests, sent }) => {
          const confirmed = countOf(total, "confirmed", filter);
          return [
            <a href={urlOf(context, "overview", { filter })}>{nameOf(dimension, value)}</a>,
            countText(requests),
            countText(withoutCode(total, filter)),
            countText(sent),
            ...(isCountry ? [moneyText(costOf(total, context.prices, filter))] : []),
            countText(countOf(total, "delivered", filter)),
            countText(confirmed),
            partText(confirmed, sent),
            partText(confirmed, requests),
          ];
        })}
      />
    </Card>
  );
}

function nameOf(dimension: Dimension, value: string): string {
  if (dimension === "release") return value;
  return dimension === "country" ? valueText(dimension, value) : wordsOf(value);
}
