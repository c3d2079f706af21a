import { doorcodeParts } from "@doorcode/core/adapter";
import type { Figures } from "../figures/figures.ts";
import { countOf, unconfirmedTexts, valuesOf } from "../figures/read-figures.ts";
import { digestOfGroup, groupText } from "../masked.ts";
import { Chart } from "../page/chart.tsx";
import { Card, EmptyNote, type Html, nothing, PostButton, Table } from "../page/elements.tsx";
import { countText, durationText, instantText, moneyText, valueText } from "../page/format.ts";
import { Status } from "../page/icon.tsx";
import { slotLabel, ViewHead } from "../page/view-head.tsx";
import { figuresOf, type PageContext, type ShownView, urlOf } from "../page-context.ts";
import { ceilingsCard } from "./ceilings-card.tsx";
import { limitText } from "./limit-texts.ts";

/** Shows what the limits refuse and have closed, and what an attack has cost. */
export async function limitsView(context: PageContext): Promise<ShownView> {
  const { period } = context;
  const { slots, total } = await figuresOf(context);
  const children = (
    <>
      <ViewHead
        context={{ ...context, filter: undefined }}
        view="limits"
        title="Limits"
        lead="Who gets no codes now and until when, what was refused, and what the texts cost that nobody confirmed."
      />
      {await closedCard(context)}
      <Card
        id="refusals"
        title="Refusals by limit"
        lead="“Would refuse” is a limit that observes. “Challenged” and “suppressed” are answers of your app's beforeSend."
      >
        <Chart
          id="refusals"
          summary="Codes that limits refused, or would have refused"
          labels={slots.map(({ start }) => slotLabel(period, start))}
          series={[
            { name: "Would refuse", values: slots.map(({ figures }) => refusedByLimits(figures, "would_refuse")) },
            { name: "Refused", bad: true, values: slots.map(({ figures }) => refusedByLimits(figures, "refused")) },
          ]}
        />
        {refusalsTable(total)}
      </Card>
      {attackCard(context, total)}
      {alertsCard(context, total, slots.at(-1)?.figures)}
      {await ceilingsCard(context)}
    </>
  );
  return { title: "Limits", children };
}

async function closedCard({ doorcode, basePath, now }: PageContext): Promise<Html> {
  if (!doorcode[doorcodeParts].login)
    return (
      <Card id="closed" title="Closed now">
        <EmptyNote>This app has no login.</EmptyNote>
      </Card>
    );
  const state = await doorcode.limits.state();
  const closed = state.filter((entry) => entry.kind !== "app");
  const [app] = state.filter((entry) => entry.kind === "app");
  return (
    <Card
      id="closed"
      title="Closed now"
      lead="A closed group gets no codes until it opens by itself, or you open it. Addresses of people are masked."
    >
      {app && (
        <p>
          <Status tone="warn">App on alert</Status> {countText(app.unconfirmed)} logins of the last day are not
          confirmed, where {countText(app.threshold)} are usual. That refuses nothing by itself.
        </p>
      )}
      {closed.length === 0 ? (
        <EmptyNote>Nobody is locked out: no block of numbers, address or network is closed.</EmptyNote>
      ) : (
        <Table
          label="Closed now"
          columns={["Closed", "Kind", "Opens", "Action"]}
          rows={closed.map((group) => [
            groupText(doorcode, group),
            limitText(group.kind),
            `in ${durationText(group.secondsLeft)}, at ${instantText(now + group.secondsLeft * 1000, now)}`,
            <PostButton
              action={`${basePath}/limits/open`}
              label="Open …"
              of={groupText(doorcode, group)}
              fields={{ group: digestOfGroup(doorcode, group) }}
            />,
          ])}
        />
      )}
    </Card>
  );
}

/** The decisions that are not about letting a code pass, in the order of the table. */
const outcomes = ["refused", "would_refuse", "challenged", "suppressed"] as const;

/** `refused` also counts requests that other rules refused, so the limits are summed up. */
function refusedByLimits(figures: Figures, outcome: string): number {
  return valuesOf(figures, outcome, "limit").reduce((sum, { count }) => sum + count, 0);
}

function refusalsTable(total: Figures): Html {
  const limits = new Set(outcomes.flatMap((outcome) => valuesOf(total, outcome, "limit").map(({ value }) => value)));
  if (limits.size === 0) return <EmptyNote>No limit refused anything.</EmptyNote>;
  return (
    <Table
      label="Refusals by limit"
      columns={["Limit", "#Refused", "#Would refuse", "#Challenged", "#Suppressed"]}
      rows={[...limits].map((limit) => [
        limitText(limit),
        ...outcomes.map((outcome) => countText(total.counts.get(`${outcome}|limit:${limit}`) ?? 0)),
      ])}
    />
  );
}

function attackCard(context: PageContext, total: Figures): Html {
  const rows = unconfirmedTexts(total, context.prices);
  const unconfirmed = rows.reduce((sum, row) => sum + row.unconfirmed, 0);
  const cost = context.prices && rows.reduce((sum, row) => sum + (row.cost ?? 0), 0);
  const lead =
    cost === undefined
      ? `${countText(unconfirmed)} texts were sent that nobody confirmed. Set login.limits.prices to see what they cost.`
      : `${countText(unconfirmed)} texts were sent that nobody confirmed. They cost ${moneyText(cost)}, in the currency of your prices.`;
  return (
    <Card
      id="attack"
      title="Texts that nobody confirmed: the cost of an attack"
      lead={`${lead} People who are still typing count, and the second text of a login that was confirmed.`}
    >
      {rows.length === 0 ? (
        <EmptyNote>No text was sent.</EmptyNote>
      ) : (
        <Table
          label="Texts that nobody confirmed"
          columns={["Country", "#Sent", "#Not confirmed", "#Cost", "#Refused by limits"]}
          rows={rows.map(({ country, sent, unconfirmed, cost }) => [
            <a href={urlOf(context, "", { filter: { dimension: "country", value: country } })}>
              {valueText("country", country)}
            </a>,
            countText(sent),
            countText(unconfirmed),
            moneyText(cost),
            countText(
              valuesOf(total, "refused", "limit", { dimension: "country", value: country }).reduce(
                (sum, { count }) => sum + count,
                0,
              ),
            ),
          ])}
        />
      )}
    </Card>
  );
}

function alertsCard(context: PageContext, total: Figures, newest: Figures | undefined): Html {
  const alerted = valuesOf(total, "alert", "country");
  if (alerted.length === 0) return nothing;
  const inNewest = (value: string) => (newest && countOf(newest, "alert", { dimension: "country", value })) ?? 0;
  return (
    <Card
      id="alerts"
      title="Alerts of countries"
      lead="A country is on alert while far more of its logins stay unconfirmed than its past explains. Its limits are lower then."
    >
      <Table
        label="Alerts of countries"
        columns={["Country", "#Codes asked for during the alert", context.period === "today" ? "This hour" : "Today"]}
        rows={alerted.map(({ value, count }) => [
          valueText("country", value),
          countText(count),
          inNewest(value) > 0 ? <Status tone="warn">On alert</Status> : "no",
        ])}
      />
    </Card>
  );
}
