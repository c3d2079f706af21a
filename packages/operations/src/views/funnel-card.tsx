import { addFigures, createFigures, type Figures, maxPauseMilliseconds } from "../figures/figures.ts";
import {
  costOf,
  countOf,
  type Filter,
  occurrenceOf,
  type PeriodFigures,
  readFigures,
  requestsOf,
  sumOf,
  timeOf,
  valuesOf,
  withoutCode,
} from "../figures/read-figures.ts";
import { agoText, countText, durationText, moneyText, nounText, partText, runText, valueText } from "../page/format.ts";
import { isFailing } from "../page/navigation.ts";
import type { PageContext } from "../page-context.ts";
import { Card, type Html, nothing, Status } from "../page-parts.ts";

/** Shows how many requested a code, got it and confirmed it, and how long that took. */
export async function funnelCard(context: PageContext, figures: PeriodFigures): Promise<Html> {
  const { filter } = context;
  const { total } = figures;
  const shown = [...countsOf(context, total), ...timesOf(total, await figuresBefore(context), filter)];
  return (
    <Card
      id="funnel"
      title={filter ? valueText(filter.dimension, filter.value) : "All logins"}
      lead={requestsSentence(figures, filter)}
    >
      {sendFailures(context, total)}
      <div class="figures">
        {shown.map(([name, figure, note]) => (
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

type ShownFigure = readonly [name: string, figure: string, note: string];

function countsOf({ filter, prices }: PageContext, total: Figures): readonly ShownFigure[] {
  const [started, sent = 0, delivered, undelivered = 0, confirmed] = [
    "started",
    "sent",
    "delivered",
    "undelivered",
    "confirmed",
  ].map((metric) => countOf(total, metric, filter));
  const notSent = withoutCode(total, filter);
  const requests = requestsOf(total, filter);
  const cost = costOf(total, prices, filter);
  const costText = cost !== undefined && `cost ${moneyText(cost)}`;
  const again = started !== undefined && `${countText(Math.max(0, sent - started))} of them sent again`;
  const notCounted = `not counted by ${filter?.dimension}`;
  return [
    ["Requests for a code", countText(requests), requests === undefined ? notCounted : "sent or not"],
    [
      "Got no code",
      countText(notSent),
      notSent === undefined ? notCounted : `${partText(notSent, requests)} of the requests`,
    ],
    ["Codes sent", countText(sent), [again, costText].filter(Boolean).join(", ")],
    [
      "Delivered",
      countText(delivered),
      delivered === undefined
        ? notCounted
        : `${partText(delivered, sent)} of the codes; ${countText(Math.max(0, sent - delivered - undelivered))} not reported`,
    ],
    [
      "Confirmed",
      countText(confirmed),
      requests === undefined
        ? `${partText(confirmed, sent)} of the codes`
        : `${partText(confirmed, requests)} of the requests`,
    ],
  ];
}

function timesOf(total: Figures, before: Figures | undefined, filter: Filter | undefined): readonly ShownFigure[] {
  return [
    ["A code arrives in", "delivery"],
    ["A code is confirmed in", "confirm"],
  ].map(([name = "", metric = ""]) => {
    const time = (part: number) => durationText(timeOf(total, metric, part, filter));
    const usual = before && timeOf(before, metric, 0.5, filter);
    const usualText = usual === undefined ? "" : `; median before today ${durationText(usual)}`;
    return [name, time(0.5), `median; 95th percentile ${time(0.95)}${usualText}`];
  });
}

/** Returns the figures of the six days before today, to which times of today compare; `undefined` for a longer period. */
async function figuresBefore({ doorcode, period }: PageContext): Promise<Figures | undefined> {
  if (period !== "today") return undefined;
  const before = createFigures();
  for (const { figures } of (await readFigures(doorcode, "week")).slots.slice(0, -1)) addFigures(before, figures);
  return before;
}

/** Says what became of all requests, and links to the reasons why some got no code. */
function requestsSentence({ total, open }: PeriodFigures, filter: Filter | undefined): Html {
  const requests = requestsOf(total, filter);
  const notSent = withoutCode(total, filter);
  if (requests === undefined || notSent === undefined) return nothing;
  const [sent = 0, confirmed = 0] = ["sent", "confirmed"].map((metric) => countOf(total, metric, filter));
  const stillOpen = openCount(open, filter);
  const isSplit = filter === undefined || filter.dimension === "country";
  const byLimits = isSplit ? sumOf(total, "refused", "limit", filter) : 0;
  // Nobody confirms a code that another code of the same login has replaced.
  const notConfirmed = Math.max(0, sent - confirmed - stillOpen);
  return (
    <>
      {nounText(requests, "request")} for a code: {countText(confirmed)} confirmed ({partText(confirmed, requests)}),{" "}
      {countText(stillOpen)} still open, {countText(notConfirmed)} not confirmed, {countText(notSent)} got no code
      {byLimits > 0 && ` (${countText(byLimits)} refused by limits)`}. {notSent > 0 && <a href="#reasons">Why?</a>}
    </>
  );
}

function openCount(open: PeriodFigures["open"], filter: Filter | undefined): number {
  if (filter && filter.dimension !== "country") return 0;
  const counts = filter ? [open.get(filter.value) ?? 0] : [...open.values()];
  return counts.reduce((sum, each) => sum + Math.max(0, each), 0);
}

/** Says whether codes cannot be sent, or could not in the last ten minutes. */
function sendFailures({ now, filter }: PageContext, total: Figures): Html {
  if (filter && filter.dimension !== "country") return nothing;
  const [newest] = [...valuesOf(total, "send_failed", "error", filter)].sort((left, right) => right.last - left.last);
  const run = newest?.runs.at(-1);
  const fails = isFailing(total, "send_failed", "sent", now, filter);
  if (!newest || !run || (!fails && now - run.until > maxPauseMilliseconds)) return nothing;
  const lastSent = occurrenceOf(total, "sent", filter)?.last ?? 0;
  const isSending = lastSent > run.until;
  const sending = isSending ? `A code was last sent ${agoText(lastSent, now)}.` : "No code was sent since.";
  const status = fails ? (
    <Status tone={isSending ? "warn" : "bad"}>{isSending ? "Some codes fail" : "Sending fails"}</Status>
  ) : (
    <Status tone="good">Sending works again</Status>
  );
  return (
    <p class="now">
      {status} {fails ? "" : "It failed with "}
      {newest.value}: {runText(run, now)}, {agoText(run.until, now)}. {sending}
    </p>
  );
}
