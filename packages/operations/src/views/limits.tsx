import { doorcodeParts } from "@doorcode/core/adapter";
import type { Figures } from "../figures/figures.ts";
import {
  occurrenceOf,
  type PeriodFigures,
  readFigures,
  sumOf,
  unconfirmedTexts,
  valuesOf,
} from "../figures/read-figures.ts";
import { countText, durationText, lastText, moneyText, secondText, valueText } from "../page/format.ts";
import { RunLines } from "../page/run-lines.tsx";
import { type PageContext, type ShownView, urlOf } from "../page-context.ts";
import { Card, Chart, type Html, nothing, Status, Table } from "../page-parts.ts";
import { quietMilliseconds } from "./attacks-card.tsx";
import { ceilingsCard } from "./ceilings-card.tsx";
import { closedCards } from "./closed-cards.tsx";
import { limitText } from "./limit-names.ts";

/** Shows what the limits refuse and have closed, and what an attack has cost. */
export async function limitsView(context: PageContext): Promise<ShownView> {
  const { doorcode, period, now } = context;
  const figures = await readFigures(doorcode, period);
  const { slots, total } = figures;
  const lead =
    "Who gets no codes now and until when, whether an attack goes on, and what the texts cost that nobody confirmed.";
  const children = (
    <>
      {await closedCards(context, total)}
      <Card
        id="refusals"
        title="Refusals by limit"
        lead="“Would refuse” is a limit that observes. “Challenged” and “suppressed” are answers of your app's beforeSend."
      >
        <Chart
          id="refusals"
          summary="Codes that limits refused, or would have refused"
          labels={slots.map(({ label }) => label)}
          series={[
            { name: "Would refuse", values: slots.map(({ figures }) => sumOf(figures, "would_refuse", "limit")) },
            { name: "Refused", tone: "bad", values: slots.map(({ figures }) => sumOf(figures, "refused", "limit")) },
          ]}
        />
        {refusalsTable(total, now)}
      </Card>
      {unconfirmedCard(context, figures)}
      {alertsCard(total, now)}
      {await ceilingsCard(context, figures)}
    </>
  );
  return { title: "Limits", lead, period, children };
}

/** The decisions that are not about letting a code pass, in the order of the table. */
const outcomes = ["refused", "would_refuse", "challenged", "suppressed"] as const;

function refusalsTable(total: Figures, now: number): Html {
  const limits = new Set(outcomes.flatMap((outcome) => valuesOf(total, outcome, "limit").map(({ value }) => value)));
  return (
    <Table
      label="Refusals by limit"
      empty="No limit refused anything."
      columns={["Limit", "#Refused", "#Would refuse", "#Challenged", "#Suppressed", "First (UTC)", "Last (UTC)"]}
      rows={[...limits].map((limit) => {
        const occurrences = outcomes.map((outcome) => total.counts.get(`${outcome}|limit:${limit}`));
        const known = occurrences.flatMap((occurrence) => occurrence ?? []);
        return [
          limitText(limit),
          ...occurrences.map((occurrence) => countText(occurrence?.count ?? 0)),
          secondText(Math.min(...known.map(({ first }) => first)), now),
          lastText(Math.max(...known.map(({ last }) => last)), now),
        ];
      })}
    />
  );
}

function unconfirmedCard(context: PageContext, figures: PeriodFigures): Html {
  const { lifetimeSeconds } = context.doorcode[doorcodeParts].login?.codes ?? {};
  const rows = unconfirmedTexts(figures, context.prices);
  const unconfirmed = rows.reduce((sum, row) => sum + row.unconfirmed, 0);
  const cost = context.prices && rows.reduce((sum, row) => sum + (row.cost ?? 0), 0);
  const open = rows.reduce((sum, row) => sum + row.open, 0);
  const money =
    cost === undefined
      ? "Set login.limits.prices to see what they cost."
      : `They cost ${moneyText(cost)}, in the currency of your prices.`;
  return (
    <Card
      id="unconfirmed"
      title="Texts that nobody confirmed"
      lead={`${countText(unconfirmed)} codes have expired that nobody confirmed. ${money} ${countText(open)} are still open: a code lives ${durationText(lifetimeSeconds)}. The texts of attacks are counted here, too, when they have expired.`}
    >
      <Table
        label="Texts that nobody confirmed"
        empty="No text was sent."
        columns={["Country", "#Sent", "#Still open", "#Not confirmed", "#Cost", "#Refused by limits"]}
        rows={rows.map(({ country, sent, open, unconfirmed, cost }) => [
          <a href={urlOf(context, "overview", { filter: { dimension: "country", value: country } })}>
            {valueText("country", country)}
          </a>,
          countText(sent),
          countText(open),
          countText(unconfirmed),
          moneyText(cost),
          countText(sumOf(figures.total, "refused", "limit", { dimension: "country", value: country })),
        ])}
      />
    </Card>
  );
}

function alertsCard(total: Figures, now: number): Html {
  const alerted = valuesOf(total, "alert", "country");
  if (alerted.length === 0) return nothing;
  const lastSent = (value: string) => occurrenceOf(total, "sent", { dimension: "country", value })?.last ?? 0;
  // A code that was allowed on alert is sent some seconds later.
  const isOver = (value: string, last: number) => lastSent(value) - last > quietMilliseconds;
  return (
    <Card
      id="alerts"
      title="Alerts of countries"
      lead="A country is on alert while far more of its logins stay unconfirmed than its past explains. Its limits are lower then."
    >
      <Table
        label="Alerts of countries"
        columns={["Country", "#Requests on alert", "When (UTC), newest first", "Now"]}
        rows={alerted.map(({ value, ...times }) => [
          valueText("country", value),
          countText(times.count),
          <RunLines of={times} now={now} />,
          isOver(value, times.last) ? <Status tone="good">Over</Status> : <Status tone="warn">On alert</Status>,
        ])}
      />
    </Card>
  );
}
