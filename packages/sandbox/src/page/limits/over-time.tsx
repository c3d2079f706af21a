import { Card, type Html } from "@doorcode/operations/page-parts";
import type { Decision } from "../../state/decision.ts";
import { isoInstant } from "../../state/record.ts";
import { durationText } from "../browser/time-text.ts";
import { Instant } from "../components/status.tsx";

/** What the bars show, from the bottom up. */
const series: readonly (readonly [name: string, label: string, outcomes: readonly Decision["outcome"][]])[] = [
  ["good", "Sent", ["allowed", "trusted"]],
  ["warn", "Would refuse, challenged", ["would_refuse", "challenged"]],
  ["bad", "Refused, suppressed", ["refused", "suppressed"]],
];

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const steps = [1, 5, 15].flatMap((count) => [count * second, count * minute]).concat(hour, 6 * hour, day, 7 * day);
const minBars = 12;
const maxBars = 48;

interface Bar {
  readonly startMilliseconds: number;
  /** The decisions of each of the series. */
  readonly counts: readonly number[];
}

interface OverTimeProps {
  readonly decisions: readonly Decision[];
  readonly now: number;
}

/** Shows the outcomes over time as bars, from the oldest decision to now, and as a table for screen readers. */
export function DecisionsOverTime({ decisions, now }: OverTimeProps): Html {
  const { bars, stepMilliseconds } = barsOf(decisions, now);
  const highest = Math.max(1, ...bars.map(({ counts }) => total(counts)));
  const ticks = [bars[0], bars[Math.floor(bars.length / 2)], bars.at(-1)];
  const every = durationText(stepMilliseconds);
  return (
    <Card
      id="over-time"
      title="Over time"
      lead={`One bar for every ${every}. The highest has ${highest === 1 ? "1 code" : `${highest} codes`}.`}
    >
      <svg class="chart" viewBox={`0 0 ${bars.length * 10} 100`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map((bar, index) => drawBar(bar, index, highest))}
      </svg>
      <p class="axis" aria-hidden="true">
        {ticks.map((bar) => (
          <Instant at={isoInstant(bar?.startMilliseconds ?? now)} now={now} />
        ))}
      </p>
      <ul class="legend" aria-hidden="true">
        {series.map(([name, label]) => (
          <li class={name}>{label}</li>
        ))}
      </ul>
      <div class="unseen">
        <table>
          <caption>{`Outcomes, each row ${every}`}</caption>
          <tr>
            <th scope="col">From</th>
            {series.map(([, label]) => (
              <th scope="col">{label}</th>
            ))}
          </tr>
          {bars.map(({ startMilliseconds, counts }) => (
            <tr>
              <th scope="row">
                <Instant at={isoInstant(startMilliseconds)} now={now} />
              </th>
              {counts.map((count) => (
                <td>{count}</td>
              ))}
            </tr>
          ))}
        </table>
      </div>
    </Card>
  );
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Counts decisions in steps of time that a person can read: 12 to 48 of them. */
function barsOf(decisions: readonly Decision[], now: number) {
  const instants = decisions.map(({ at }) => Date.parse(at));
  const [oldest, newest] = [Math.min(...instants), Math.max(now, ...instants)];
  const sorted = steps.toSorted((one, other) => one - other);
  const stepMilliseconds =
    sorted.find((step) => (newest - oldest) / step < maxBars - 1) ?? Math.ceil((newest - oldest) / (maxBars - 1));
  const last = Math.floor(newest / stepMilliseconds) * stepMilliseconds;
  const start = Math.min(
    Math.floor(oldest / stepMilliseconds) * stepMilliseconds,
    last - (minBars - 1) * stepMilliseconds,
  );
  const byBar = Map.groupBy(decisions, ({ at }) => Math.floor((Date.parse(at) - start) / stepMilliseconds));
  const count = (last - start) / stepMilliseconds + 1;
  const bars = Array.from({ length: count }, (_, index): Bar => {
    const ofBar = byBar.get(index) ?? [];
    const counts = series.map(([, , outcomes]) => ofBar.filter(({ outcome }) => outcomes.includes(outcome)).length);
    return { startMilliseconds: start + index * stepMilliseconds, counts };
  });
  return { bars, stepMilliseconds };
}

function drawBar({ counts }: Bar, index: number, highest: number): readonly Html[] {
  return series.map(([name], level) => {
    const height = ((counts[level] ?? 0) / highest) * 100;
    const below = (total(counts.slice(0, level)) / highest) * 100;
    return <rect class={name} x={index * 10 + 1} y={100 - below - height} width="8" height={height} />;
  });
}
