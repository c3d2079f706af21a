import { Card, Chart, type Html } from "@doorcode/operations/page-parts";
import type { Decision } from "../../state/decision.ts";
import { durationText, instantText } from "../browser/time-text.ts";

/** The series of the bars, from the bottom up. */
const series: readonly (readonly [name: string, "good" | "warn" | "bad", outcomes: readonly Decision["outcome"][]])[] =
  [
    ["Sent", "good", ["allowed", "trusted"]],
    ["Would refuse, challenged", "warn", ["would_refuse", "challenged"]],
    ["Refused, suppressed", "bad", ["refused", "suppressed"]],
  ];

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const steps = [second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour, 6 * hour, day, 7 * day];
const minSlots = 12;
const maxSlots = 48;

interface OverTimeProps {
  readonly decisions: readonly Decision[];
  readonly now: number;
}

/** Shows the outcomes over time as bars, from the oldest decision to now, and as a table. */
export function DecisionsOverTime({ decisions, now }: OverTimeProps): Html {
  const { slots, stepMilliseconds } = slotsOf(decisions, now);
  const every = durationText(stepMilliseconds);
  const countsOf = (outcomes: readonly Decision["outcome"][]) =>
    slots.map((slot) => slot.decisions.filter(({ outcome }) => outcomes.includes(outcome)).length);
  return (
    <Card id="over-time" title="Over time" lead={`One bar for every ${every}.`}>
      <Chart
        id="over-time"
        summary={`Outcomes of every ${every}`}
        labels={slots.map(({ startMilliseconds }) => instantText(startMilliseconds, now))}
        head="From"
        stacked
        series={series.map(([name, tone, outcomes]) => ({ name, tone, values: countsOf(outcomes) }))}
      />
    </Card>
  );
}

interface Slot {
  readonly startMilliseconds: number;
  readonly decisions: readonly Decision[];
}

/** Divides decisions into steps of time that a person can read: 12 to 48 of them. */
function slotsOf(
  decisions: readonly Decision[],
  now: number,
): { readonly slots: readonly Slot[]; readonly stepMilliseconds: number } {
  const instants = decisions.map(({ at }) => Date.parse(at));
  const [oldest, newest] = [Math.min(...instants), Math.max(now, ...instants)];
  const stepMilliseconds =
    steps.find((step) => (newest - oldest) / step < maxSlots - 1) ?? Math.ceil((newest - oldest) / (maxSlots - 1));
  const beginOf = (instant: number) => Math.floor(instant / stepMilliseconds) * stepMilliseconds;
  const last = beginOf(newest);
  const start = Math.min(beginOf(oldest), last - (minSlots - 1) * stepMilliseconds);
  const byBegin = Map.groupBy(decisions, ({ at }) => beginOf(Date.parse(at)));
  const slots = Array.from({ length: (last - start) / stepMilliseconds + 1 }, (_, index) => {
    const startMilliseconds = start + index * stepMilliseconds;
    return { startMilliseconds, decisions: byBegin.get(startMilliseconds) ?? [] };
  });
  return { slots, stepMilliseconds };
}
