import { addFigures, createFigures, type Figures, maxPauseMilliseconds } from "../figures/figures.ts";
import { type Dimension, dimensions } from "../figures/measure.ts";
import {
  costOf,
  countOf,
  type Filter,
  occurrenceOf,
  type PeriodFigures,
  readFigures,
  sumOf,
  timeOf,
  valuesOf,
  valuesOfDimension,
} from "../figures/read-figures.ts";
import { Chart } from "../page/chart.tsx";
import { Card, type Html, nothing, Table } from "../page/elements.tsx";
import { agoText, countText, durationText, moneyText, partText, runText, valueText, wordsOf } from "../page/format.ts";
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
        lead="Do people arrive? They request a code, get it and confirm it. Choose a row below to look at one country, channel, purpose or release."
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
        title="From sending to the confirmation"
        lead="A code that takes longer than half a minute is often given up. Times are from the newest code."
      >
        <Chart
          id="times"
          summary="Median and 95th percentile of the time from sending a code to its confirmation"
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
    return time === undefined ? "" : `; ${durationText(time)} in the 6 days before`;
  };
  const [started, sent, delivered, confirmed] = ["started", "sent", "delivered", "confirmed"].map((metric) =>
    countOf(total, metric, filter),
  );
  const notSent = withoutCode(total, filter);
  const cost = costOf(total, context.prices, filter);
  const stillOpen = openCount(open, filter);
  const requests = notSent === undefined ? undefined : (sent ?? 0) + notSent;
  const notCounted = "not counted by this";
  const figures: readonly (readonly [name: string, figure: string, note: string])[] = [
    [
      "Requests for a code",
      countText(requests),
      requests === undefined ? notCounted : `${countText(started)} logins started`,
    ],
    [
      "Got no code",
      countText(notSent),
      notSent === undefined ? notCounted : `${partText(notSent, requests)} of the requests`,
    ],
    ["Codes sent", countText(sent), cost === undefined ? "" : `cost ${moneyText(cost)}`],
    [
      "Delivered",
      countText(delivered),
      delivered === undefined ? notCounted : `${partText(delivered, sent)} of the codes`,
    ],
    [
      "Confirmed",
      countText(confirmed),
      requests === undefined
        ? `${partText(confirmed, sent)} of the codes`
        : `${partText(confirmed, requests)} of the requests`,
    ],
    [
      "Sending to delivery",
      durationText(timeOf(total, "delivery", 0.5, filter)),
      `median; 95 of 100 within ${durationText(timeOf(total, "delivery", 0.95, filter))}${usual("delivery")}`,
    ],
    [
      "Sending to confirmation",
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
      {sendFailures(total, context)}
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
  // A code that nobody confirmed, and one that another code of the same login replaced.
  const notConfirmed = Math.max(0, sent - confirmed - stillOpen);
  return (
    <>
      {countText(sent + notSent)} requests for a code: {countText(confirmed)} confirmed (
      {partText(confirmed, sent + notSent)}), {countText(stillOpen)} still open, {countText(notConfirmed)} not
      confirmed, {countText(notSent)} got no code
      {byLimits > 0 && ` (${countText(byLimits)} refused by limits)`}. {notSent > 0 && <a href="#reasons">Why?</a>}
    </>
  );
}

/** Says whether codes cannot be sent, or could not in the last ten minutes. */
function sendFailures(total: Figures, { now, filter }: PageContext): Html {
  if (filter && filter.dimension !== "country") return nothing;
  const [newest] = [...valuesOf(total, "send_failed", "error", filter)].sort((left, right) => right.last - left.last);
  const run = newest?.runs.at(-1);
  const fails = isFailing(total, "send_failed", "sent", now, filter);
  if (!newest || !run || (!fails && now - run.until > maxPauseMilliseconds)) return nothing;
  const lastSent = occurrenceOf(total, "sent", filter)?.last ?? 0;
  return (
    <p class="now">
      <Status tone={fails ? "bad" : "warn"}>{fails ? "Sending fails" : "Sending failed"}</Status> {newest.value}:{" "}
      {runText(run, now)}, {agoText(run.until, now)}.{" "}
      {lastSent > run.until ? `A code was last sent ${agoText(lastSent, now)}.` : "No code was sent since."}
    </p>
  );
}

function openCount(open: PeriodFigures["open"], filter: Filter | undefined): number {
  if (filter && filter.dimension !== "country") return 0;
  const counts = filter ? [open.get(filter.value) ?? 0] : [...open.values()];
  return counts.reduce((sum, each) => sum + Math.max(0, each), 0);
}

const titles: Readonly<Record<Dimension, string>> = {
  country: "By country",
  channel: "By channel",
  purpose: "By purpose",
  release: "By release",
};

const leads: Readonly<Partial<Record<Dimension, string>>> = {
  channel: "A request is counted by no channel, because the channel is chosen when a code is sent.",
  purpose: "A delivery is counted by no purpose.",
};

const otherDimensions = dimensions.filter((dimension) => dimension !== "country");
const maxRows = 20;

function breakdownCard(context: PageContext, total: Figures, dimension: Dimension): Html {
  const values = valuesOfDimension(total, dimension);
  if (values.length === 0) return nothing;
  const rows = values.slice(0, maxRows).map((value) => {
    const filter = { dimension, value };
    const [sent, delivered, confirmed] = ["sent", "delivered", "confirmed"].map((metric) =>
      countOf(total, metric, filter),
    );
    const notSent = withoutCode(total, filter);
    const requests = notSent === undefined ? undefined : (sent ?? 0) + notSent;
    const cost = dimension === "country" ? [moneyText(costOf(total, context.prices, filter))] : [];
    const name = dimension === "country" ? valueText(dimension, value) : wordsOf(value);
    return [
      <a href={urlOf(context, "", { filter })}>{dimension === "release" ? value : name}</a>,
      countText(requests),
      countText(notSent),
      countText(sent),
      ...cost,
      countText(delivered),
      countText(confirmed),
      partText(confirmed, sent),
      partText(confirmed, requests),
    ];
  });
  return (
    <Card id={`by-${dimension}`} title={titles[dimension]} lead={leads[dimension]}>
      <Table
        label={titles[dimension]}
        columns={[
          wordsOf(dimension),
          "#Requests",
          "#Got no code",
          "#Codes sent",
          ...(dimension === "country" ? ["#Cost"] : []),
          "#Delivered",
          "#Confirmed",
          "#Of the codes",
          "#Of the requests",
        ]}
        rows={rows}
      />
    </Card>
  );
}
