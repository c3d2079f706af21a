import { dimensions } from "../figures/measure.ts";
import { countOf, readFigures, requestsOf, timeOf, withoutCode } from "../figures/read-figures.ts";
import { durationText } from "../page/format.ts";
import type { PageContext, ShownView } from "../page-context.ts";
import { Card, Chart, nothing } from "../page-parts.ts";
import { breakdownCard } from "./breakdown-card.tsx";
import { ceilingsCard } from "./ceilings-card.tsx";
import { funnelCard } from "./funnel-card.tsx";
import { reasonsCard } from "./reasons-card.tsx";

const otherDimensions = dimensions.filter((dimension) => dimension !== "country");

/** Shows whether people arrive, and if not, why. */
export async function overviewView(context: PageContext): Promise<ShownView> {
  const { doorcode, period, filter } = context;
  const figures = await readFigures(doorcode, period);
  const { slots, total } = figures;
  const labels = slots.map(({ label }) => label);
  const series = (metric: string) => slots.map(({ figures }) => countOf(figures, metric, filter));
  const quantiles = (metric: string, part: number) => slots.map(({ figures }) => timeOf(figures, metric, part, filter));
  const lead =
    "Do people arrive? They request a code, get it and confirm it. Choose a row below to look at one country, channel, purpose or release.";
  const children = (
    <>
      {await funnelCard(context, figures)}
      <Card id="logins" title={period === "today" ? "By hour" : "By day"}>
        <Chart
          id="logins"
          summary="Requests for a code, codes sent, logins confirmed and requests that got no code, over time"
          labels={labels}
          series={[
            { name: "Requests", values: slots.map(({ figures }) => requestsOf(figures, filter)) },
            { name: "Sent", values: series("sent") },
            { name: "Confirmed", values: series("confirmed") },
            { name: "Got no code", tone: "bad", values: slots.map(({ figures }) => withoutCode(figures, filter)) },
          ]}
        />
      </Card>
      {reasonsCard(context, total)}
      {filter ? nothing : breakdownCard(context, total, "country")}
      {filter ? nothing : await ceilingsCard(context, figures)}
      <Card
        id="times"
        title="From sending to the confirmation"
        lead="A code that takes longer than half a minute is often given up. With another code of the same login the time begins anew."
      >
        <Chart
          id="times"
          summary="Median and 95th percentile of the time from sending a code to its confirmation"
          labels={labels}
          series={[
            { name: "Median", values: quantiles("confirm", 0.5) },
            { name: "95th percentile", values: quantiles("confirm", 0.95) },
          ]}
          format={durationText}
        />
      </Card>
      {filter ? nothing : otherDimensions.map((dimension) => breakdownCard(context, total, dimension))}
    </>
  );
  return { title: "Overview", lead, period, filter, children };
}
