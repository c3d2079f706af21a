import { problemTitle } from "@doorcode/core";
import type { Figures } from "../figures/figures.ts";
import { type Dimension, dimensions } from "../figures/measure.ts";
import { costOf, countOf, type Filter, timeOf, valuesOf, valuesOfDimension } from "../figures/read-figures.ts";
import { Chart } from "../page/chart.tsx";
import { Card, EmptyNote, type Html, nothing, Table } from "../page/elements.tsx";
import { countText, durationText, moneyText, partText, valueText, wordsOf } from "../page/format.ts";
import { slotLabel, ViewHead } from "../page/view-head.tsx";
import { figuresOf, type PageContext, type ShownView, urlOf } from "../page-context.ts";
import { actionsCard } from "./actions-card.tsx";
import { ceilingsCard } from "./ceilings-card.tsx";
import { limitText } from "./limit-texts.ts";

/** Shows whether people arrive, and if not, why. */
export async function overviewView(context: PageContext): Promise<ShownView> {
  const { period, filter } = context;
  const { slots, total } = await figuresOf(context);
  const labels = slots.map(({ start }) => slotLabel(period, start));
  const series = (metric: string) => slots.map(({ figures }) => countOf(figures, metric, filter));
  const quantiles = (metric: string, part: number) => slots.map(({ figures }) => timeOf(figures, metric, part, filter));
  const children = (
    <>
      <ViewHead
        context={context}
        view=""
        title="Overview"
        lead="Do people arrive? Each one starts, gets a code and confirms it. Choose a row below to look at one country, channel, purpose or release."
      />
      {funnelCard(total, filter, context)}
      <Card id="logins" title={period === "today" ? "By hour" : "By day"}>
        <Chart
          id="logins"
          summary="Logins started, codes sent and logins confirmed over time"
          labels={labels}
          series={[
            { name: "Started", values: series("started") },
            { name: "Sent", values: series("sent") },
            { name: "Confirmed", values: series("confirmed") },
          ]}
        />
      </Card>
      {reasonsCard(total, filter)}
      {filter ? nothing : await ceilingsCard(context)}
      <Card
        id="times"
        title="From the code to the confirmation"
        lead="A code that takes longer than half a minute is often given up. Times are from the newest code."
      >
        <Chart
          id="times"
          summary="Median and 95th percentile of the time from the code to the confirmation"
          labels={labels}
          series={[
            { name: "Median", values: quantiles("confirm", 0.5) },
            { name: "95 of 100 within", values: quantiles("confirm", 0.95) },
          ]}
          format={durationText}
        />
      </Card>
      {filter ? nothing : dimensions.map((dimension) => breakdownCard(context, total, dimension))}
      {actionsCard(total, context.now)}
    </>
  );
  return { title: "Overview", children };
}

function funnelCard(total: Figures, filter: Filter | undefined, context: PageContext): Html {
  const [started, sent, delivered, confirmed, refusedRequests] = [
    "started",
    "sent",
    "delivered",
    "confirmed",
    "refused",
  ].map((metric) => countOf(total, metric, filter));
  const refusedCodes = valuesOf(total, "stopped", "code", filter).reduce((sum, { count }) => sum + count, 0);
  const refused = filter?.dimension === "country" ? refusedCodes : refusedRequests;
  const cost = costOf(total, context.prices, filter);
  const figures: readonly (readonly [name: string, figure: string, note: string])[] = [
    ["Started", countText(started), started === undefined ? "not counted by this" : "logins"],
    ["Sent", countText(sent), cost === undefined ? "codes" : `codes, ${moneyText(cost)}`],
    [
      "Delivered",
      countText(delivered),
      delivered === undefined ? "not counted by this" : `${partText(delivered, sent)} of the codes`,
    ],
    ["Confirmed", countText(confirmed), conversionText(started, sent, confirmed)],
    ["Refused", countText(refused), refused === undefined ? "not counted by this" : filter ? "codes" : "requests"],
    [
      "Wait for the code",
      durationText(timeOf(total, "delivery", 0.5, filter)),
      `median; 95 of 100 within ${durationText(timeOf(total, "delivery", 0.95, filter))}`,
    ],
    [
      "Code to confirmation",
      durationText(timeOf(total, "confirm", 0.5, filter)),
      `median; 95 of 100 within ${durationText(timeOf(total, "confirm", 0.95, filter))}`,
    ],
  ];
  return (
    <Card id="funnel" title={filter ? valueText(filter.dimension, filter.value) : "All logins"}>
      <div class="figures">
        {figures.map(([name, figure, note]) => (
          <p class="figure">
            {name}
            <strong>{figure}</strong>
            <span>{note}</span>
          </p>
        ))}
      </div>
    </Card>
  );
}

function conversionText(started: number | undefined, sent: number | undefined, confirmed: number | undefined): string {
  if (started !== undefined) return `${partText(confirmed, started)} of the logins`;
  return `${partText(confirmed, sent)} of the codes`;
}

/** A reason why people did not arrive. */
type Reason = readonly [reason: string, count: number, meaning: string];

function reasonsCard(total: Figures, filter: Filter | undefined): Html {
  const reasons = reasonsOf(total, filter).sort(([, left], [, right]) => right - left);
  return (
    <Card
      id="reasons"
      title="Why people do not arrive"
      lead="One person may be in several rows: a code that comes late is often followed by a wrong one."
    >
      {reasons.length === 0 ? (
        <EmptyNote>Nothing was refused, and nothing failed.</EmptyNote>
      ) : (
        <Table
          label="Why people do not arrive"
          columns={["Reason", "#Count", "What it means"]}
          rows={reasons.map(([reason, count, meaning]) => [reason, countText(count), meaning])}
        />
      )}
    </Card>
  );
}

/** With a filter only what is counted by its property can be shown: why, for a country alone. */
function reasonsOf(total: Figures, filter: Filter | undefined): Reason[] {
  const [sent = 0, delivered = 0, undelivered = 0, rejected = 0] = ["sent", "delivered", "undelivered", "rejected"].map(
    (metric) => countOf(total, metric, filter),
  );
  const isSplit = filter === undefined || filter.dimension === "country";
  const because = (metric: string, property: string) => (isSplit ? valuesOf(total, metric, property, filter) : []);
  const sendErrors = because("send_failed", "error");
  // A send that failed is a refused request, too: the person is counted once.
  const isSendError = (code: string) => sendErrors.some(({ value }) => value === code);
  const refusedCodes = (filter ? because("stopped", "code") : because("refused", "code")).filter(
    ({ value }) => !isSendError(value),
  );
  const plain: readonly Reason[] = [
    ["Not delivered", undelivered, "The service reported that no channel delivered the code."],
    ["No report of the delivery", Math.max(0, sent - delivered - undelivered), noReport],
    ["Wrong code", filter ? rejected : 0, "The code that a person typed was wrong."],
  ];
  return [
    ...plain.filter(([, count]) => count > 0),
    ...refusedCodes.map(({ value, count }): Reason => [`Refused: ${value}`, count, problemTitle(value) ?? ""]),
    ...(filter ? because("refused", "limit") : []).map(
      ({ value, count }): Reason => [`Of these by the limit: ${limitText(value)}`, count, limitMeaning],
    ),
    ...sendErrors.map(({ value, count }): Reason => [`Not sent: ${value}`, count, sendFailed]),
    ...because("unfinished", "error").map(
      ({ value, count }): Reason => [`Your app failed: ${value}`, count, unfinished],
    ),
  ];
}

const noReport = "The code was sent, and no webhook says yet whether it arrived.";
const limitMeaning = "No code was sent. Limits shows what is closed, and until when.";
const sendFailed = "The service or your sender did not take the code. These people got none, and are not in Started.";
const unfinished = "The code was right, and a function of your app failed. The same code finishes the login.";

const titles: Readonly<Record<Dimension, string>> = {
  country: "By country",
  channel: "By channel",
  purpose: "By purpose",
  release: "By release",
};

const maxRows = 20;

function breakdownCard(context: PageContext, total: Figures, dimension: Dimension): Html {
  const values = valuesOfDimension(total, dimension);
  if (values.length === 0) return nothing;
  const rows = values.slice(0, maxRows).map((value) => {
    const filter = { dimension, value };
    const [started, sent, delivered, confirmed] = ["started", "sent", "delivered", "confirmed"].map((metric) =>
      countOf(total, metric, filter),
    );
    const name = dimension === "country" ? valueText(dimension, value) : wordsOf(value);
    return [
      <a href={urlOf(context, "", { filter })}>{dimension === "release" ? value : name}</a>,
      countText(started),
      countText(sent),
      countText(delivered),
      countText(confirmed),
      partText(confirmed, started ?? sent),
    ];
  });
  return (
    <Card id={`by-${dimension}`} title={titles[dimension]}>
      <Table
        label={titles[dimension]}
        columns={[wordsOf(dimension), "#Started", "#Sent", "#Delivered", "#Confirmed", "#Arrived"]}
        rows={rows}
      />
    </Card>
  );
}
