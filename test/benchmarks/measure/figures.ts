import type { RowName } from "../rows.ts";
import type { Measured } from "./rounds.ts";
import { type Spread, spreadOf } from "./statistics.ts";
import type { Cost, Role } from "./subject.ts";

/** What a run has found about one subject of a row. */
export interface Figure {
  readonly row: RowName;
  readonly subject: string;
  readonly role: Role;
  /** The figure as the table shows it. */
  readonly value: string;
  readonly cpuMicroseconds?: number;
  readonly wallMicroseconds?: number;
}

/**
 * Compares subjects with the limit of their row. A figure is the time of the limit divided by that of the subject, each of the
 * same round: 0.50 needs twice the time. It is the median of all rounds, with the quartiles. A row that is compared by the clock shows
 * the operations of a second too, and what the comparison is by CPU time, which other work on the machine disturbs less.
 *
 * @param by - the time that is compared; that on the clock where what waits counts, too
 */
export function compareWithLimit(row: RowName, measured: readonly Measured[], by: keyof Cost): readonly Figure[] {
  const limit = measured.find(({ subject }) => subject.role === "limit")?.costs;
  return measured.map(({ subject: { name, role }, costs }) => {
    const ratiosBy = (time: keyof Cost) =>
      spreadOf(costs.map((cost, round) => (limit?.[round]?.[time] ?? Number.NaN) / cost[time]));
    const medianOf = (time: keyof Cost) => spreadOf(costs.map((cost) => cost[time])).median;
    const wallMicroseconds = medianOf("wallMicroseconds");
    const comparison = role === "limit" ? "1.00" : shownSpread(ratiosBy(by));
    const perSecond = `${Math.round(1e6 / wallMicroseconds).toLocaleString("en")} a second`;
    const byCpuTime = limit && role !== "limit" ? [`CPU ${shownRatio(ratiosBy("cpuMicroseconds").median)}`] : [];
    return {
      row,
      subject: name,
      role,
      value: [limit ? comparison : "–", ...(by === "wallMicroseconds" ? [perSecond, ...byCpuTime] : [])].join(", "),
      cpuMicroseconds: medianOf("cpuMicroseconds"),
      wallMicroseconds,
    };
  });
}

/** Writes a ratio with its quartiles, as in `0.52 (0.50–0.55)`. */
function shownSpread({ median, lower, upper }: Spread): string {
  return `${shownRatio(median)} (${shownRatio(lower)}–${shownRatio(upper)})`;
}

/** Two decimals, and three of what is very small. */
function shownRatio(ratio: number): string {
  return ratio.toFixed(ratio < 0.1 ? 3 : 2);
}

/** Writes a time in microseconds with three digits. */
export function shownMicroseconds(microseconds: number): string {
  return `${Number(microseconds.toPrecision(3)).toLocaleString("en")} µs`;
}
