import { countOf, readFigures, sumOf, timeOf, valuesOf } from "../figures/read-figures.ts";
import { countText, durationText, lastText, secondText } from "../page/format.ts";
import type { PageContext, ShownView } from "../page-context.ts";
import { Card, Chart, Facts, Table } from "../page-parts.ts";

/** Shows whether the store answers, and how fast. */
export async function storeView(context: PageContext): Promise<ShownView> {
  const { doorcode, period, now } = context;
  const { slots, total } = await readFigures(doorcode, period);
  const failed = slots.map(({ figures }) => sumOf(figures, "store_failed", "error"));
  const errors = [
    ...valuesOf(total, "store_failed", "error").map((error) => ({ ...error, of: "Store" })),
    ...valuesOf(total, "inbox_failed", "error").map((error) => ({ ...error, of: "Inbox" })),
  ];
  const lead = "Does the store answer? While it does not, logins are refused with 503, and webhooks come again later.";
  const children = (
    <>
      <Card id="health" title="Health">
        <Facts
          facts={[
            ["Calls that failed", countText(sumOf(total, "store_failed", "error"))],
            ["Time of a call, median", durationText(timeOf(total, "store", 0.5))],
            ["95 of 100 within", durationText(timeOf(total, "store", 0.95))],
            ["Start of a login, median", durationText(timeOf(total, "start", 0.5))],
            ["Logins started", countText(countOf(total, "started"))],
          ]}
        />
      </Card>
      <Card
        id="failures"
        title="Failures"
        lead="An outage of the store itself is counted when it is over, by the processes that were running."
      >
        <Chart
          id="failures"
          summary="Calls of the store that failed"
          labels={slots.map(({ label }) => label)}
          series={[{ name: "Failed", tone: "bad", values: failed }]}
        />
        <Table
          label="Failures"
          empty="No call failed."
          columns={["Error", "Of", "#Count", "First (UTC)", "Last (UTC)"]}
          rows={errors.map(({ value, of, count, first, last }) => [
            value,
            of,
            countText(count),
            secondText(first, now),
            lastText(last, now),
          ])}
        />
      </Card>
    </>
  );
  return { title: "Store", lead, period, children };
}
