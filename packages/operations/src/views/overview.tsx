import { addFigures, createFigures, type Figures } from "../figures/figures.ts";
import { type Dimension, dimensions } from "../figures/measure.ts";
import {
  costOf,
  countOf,
  type Filter,
  type PeriodFigures,
  readFigures,
  sumOf,
  timeOf,
  valuesOf,
  valuesOfDimension,
} from "../figures/read-figures.ts";
import { Chart } from "../page/chart.tsx";
import { Card, type Html, nothing, Table } from "../page/elements.tsx";
import { countText, durationText, moneyText, none, partText, runText, valueText, wordsOf } from "../page/format.ts";
import { Status } from "../page/icon.tsx";
import { isFailing } from "../page/navigation.ts";
import { slotLabel, ViewHead } from "../page/view-head.tsx";
import { figuresOf, type PageContext, type ShownView, urlOf } from "../page-context.ts";
import { ceilingsCard } from "./ceilings-card.tsx";
import { reasonsCard } from "./reasons-card.tsx";

/** Shows whether people arrive, and if not, why. */
export async function overviewView(context: PageContext): Promise<ShownView> {
  const { period, filter } = context;
  const figures = await figuresOf(context);
  const { slots, total } = figures;
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
      {funnelCard(figures, await figuresBefore(context), filter, context)}
      <Card id="logins" title={period === "today" ? "By hour" : "By day"}>
        <Chart
          id="logins"
          summary="Logins started, codes sent, logins confirmed and codes that were asked for and not sent, over time"
          labels={labels}
          series={[
            { name: "Started", values: series("started") },
            { name: "Sent", values: series("sent") },
            { name: "Confirmed", values: series("confirmed") },
            { name: "Got no code", bad: true, values: series("not_sent") },
          ]}
        />
      </Card>
      {reasonsCard(context, total)}
      {filter ? nothing : breakdownCard(context, total, "country")}
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
      {filter ? nothing : otherDimensions.map((dimension) => breakdownCard(context, total, dimension))}
    </>
  );
  return { title: "Overview", children };
}

/** Returns the figures of the six days before today, to which times of today compare; `undefined` for a longer period. */
async function figuresBefore({ doorcode, period }: PageContext): Promise<Figures | undefined> {
  if (period !== "today") return undefined;
  const before = createFigures();
  for (const { figures } of (await readFigures(doorcode, "week")).slots.slice(0, -1)) addFigures(before, figures);
  return before;
}

function funnelCard(
  { total, open }: PeriodFigures,
  before: Figures | undefined,
  filter: Filter | undefined,
  context: PageContext,
): Html {
  const usual = (metric: string) => {
    const time = before && timeOf(before, metric, 0.5, filter);
    return time === undefined ? "" : `; ${durationText(time)} in the days before`;
  };
  const [started, sent, delivered, confirmed] = ["started", "sent", "delivered", "confirmed"].map((metric) =>
    countOf(total, metric, filter),
  );
  const notSent = withoutCode(total, filter);
  const cost = costOf(total, context.prices, filter);
  const stillOpen = openCount(open, filter);
  const figures: readonly (readonly [name: string, figure: string, note: string])[] = [
    ["Started", countText(started), started === undefined ? "not counted by this" : "logins"],
    ["Sent", countText(sent), cost === undefined ? "codes" : `codes, ${moneyText(cost)}`],
    [
      "Delivered",
      countText(delivered),
      delivered === undefined ? "not counted by this" : `${partText(delivered, sent)} of the codes`,
    ],
    ["Got no code", countText(notSent), notSent === undefined ? "not counted by this" : "requests for a code"],
    [
      "Confirmed",
      countText(confirmed),
      `${conversionText(started, sent, confirmed)}${stillOpen === 0 ? "" : `, ${countText(stillOpen)} still open`}`,
    ],
    [
      "Wait for the code",
      durationText(timeOf(total, "delivery", 0.5, filter)),
      `median; 95 of 100 within ${durationText(timeOf(total, "delivery", 0.95, filter))}${usual("delivery")}`,
    ],
    [
      "Code to confirmation",
      durationText(timeOf(total, "confirm", 0.5, filter)),
      `median; 95 of 100 within ${durationText(timeOf(total, "confirm", 0.95, filter))}${usual("confirm")}`,
    ],
  ];
  return (
    <Card
      id="funnel"
      title={filter ? valueText(filter.dimension, filter.value) : "All logins"}
      lead={askedSentence(total, stillOpen, filter)}
    >
      {filter ? nothing : failingNow(total, context.now)}
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

/** Returns how often somebody asked for a code and got none; `undefined` by channel, which is chosen when a code is sent. */
function withoutCode(total: Figures, filter: Filter | undefined): number | undefined {
  const refused = countOf(total, "not_sent", filter);
  return refused === undefined ? undefined : refused + sumOf(total, "suppressed", "limit", filter);
}

/** Says how many asked for a code, and links to the reasons why some got none. */
function askedSentence(total: Figures, stillOpen: number, filter: Filter | undefined): Html {
  const [sent = 0, confirmed = 0] = ["sent", "confirmed"].map((metric) => countOf(total, metric, filter));
  const notSent = withoutCode(total, filter);
  if (notSent === undefined) return nothing;
  const isSplit = filter === undefined || filter.dimension === "country";
  const byLimits = isSplit ? sumOf(total, "refused", "limit", filter) : 0;
  return (
    <>
      {countText(sent + notSent)} requests for a code: {countText(confirmed)} confirmed (
      {partText(confirmed, sent + notSent)}), {countText(stillOpen)} still open, {countText(notSent)} got no code
      {byLimits > 0 && ` (${countText(byLimits)} refused by limits)`}. {notSent > 0 && <a href="#reasons">Why?</a>}
    </>
  );
}

/** Says that codes cannot be sent, while that is so. */
function failingNow(total: Figures, now: number): Html {
  if (!isFailing(total, "send_failed", "sent", now)) return nothing;
  const [newest] = [...valuesOf(total, "send_failed", "error")].sort((left, right) => right.last - left.last);
  if (!newest) return nothing;
  return (
    <p>
      <Status tone="bad">Sending fails</Status> {newest.value}: {runText(newest, now)}.
    </p>
  );
}

function openCount(open: PeriodFigures["open"], filter: Filter | undefined): number {
  if (filter && filter.dimension !== "country") return 0;
  const counts = filter ? [open.get(filter.value) ?? 0] : [...open.values()];
  return counts.reduce((sum, each) => sum + Math.max(0, each), 0);
}

function conversionText(started: number | undefined, sent: number | undefined, confirmed: number | undefined): string {
  if (started !== undefined) return `${partText(confirmed, started)} of the logins`;
  return `${partText(confirmed, sent)} of the codes`;
}

const titles: Readonly<Record<Dimension, string>> = {
  country: "By country",
  channel: "By channel",
  purpose: "By purpose",
  release: "By release",
};

const otherDimensions = dimensions.filter((dimension) => dimension !== "country");
const maxRows = 20;

function breakdownCard(context: PageContext, total: Figures, dimension: Dimension): Html {
  const values = valuesOfDimension(total, dimension);
  if (values.length === 0) return nothing;
  const rows = values.slice(0, maxRows).map((value) => {
    const filter = { dimension, value };
    const [started, sent, delivered, confirmed, notSent] = [
      "started",
      "sent",
      "delivered",
      "confirmed",
      "not_sent",
    ].map((metric) => countOf(total, metric, filter));
    const name = dimension === "country" ? valueText(dimension, value) : wordsOf(value);
    return [
      <a href={urlOf(context, "", { filter })}>{dimension === "release" ? value : name}</a>,
      countText(started),
      countText(sent),
      countText(delivered),
      countText(confirmed),
      countText(notSent),
      partText(confirmed, sent),
      notSent === undefined ? none : partText(confirmed, (sent ?? 0) + notSent),
    ];
  });
  return (
    <Card id={`by-${dimension}`} title={titles[dimension]}>
      <Table
        label={titles[dimension]}
        columns={[
          wordsOf(dimension),
          "#Started",
          "#Sent",
          "#Delivered",
          "#Confirmed",
          "#Got no code",
          "#Of sent",
          "#Of asked",
        ]}
        rows={rows}
      />
    </Card>
  );
}
