import type { Delivery } from "@doorcode/sandbox";
import { type History, nameOf } from "./history.ts";
import type { LedgerLine } from "./ledger.ts";
import { classify } from "./logins.ts";
import { type ChaosPlan, describePlan } from "./plan.ts";
import type { Performance } from "./run-chaos.ts";
import type { Wire } from "./wire.ts";

/** All that is known of a run when it is over. */
export interface Outcome {
  readonly plan: ChaosPlan;
  readonly performance: Performance;
  readonly deliveries: readonly Delivery[];
  readonly lines: readonly LedgerLine[];
  readonly history: History;
  readonly wire: Wire;
}

/** Writes a block of figures, for the log of the tests. */
export function describeOutcome(title: string, outcome: Outcome): string {
  const { plan, performance, wire, deliveries } = outcome;
  const { seconds, reconciliations } = performance;
  const rows: readonly (readonly [string, string])[] = [
    ["seed", `${plan.seed}: ${describePlan(plan)}`],
    ["ended by kill -9", describeInterruptions(performance)],
    ["events", `${deliveries.length} about ${new Set(deliveries.map(({ subjectId }) => subjectId)).size} things`],
    ["deliveries", describeDeliveries(deliveries)],
    ["between", `${wire.cut.count} cut bodies, ${wire.late.count} late answers, ${wire.lost.count} lost answers`],
    ["refused", `${wire.refused.count} answered 5xx, or met a process that ended`],
    ["handlers", describeHandlers(outcome)],
    ["given up", `${countFailed(deliveries)} events of the outage, ${performance.sentAgain} others sent again by hand`],
    ["reconciled", reconciliations.map((found) => `${found.accepted} of ${found.listed} accepted`).join(", then ")],
    ["logins", describeLogins(performance)],
    ["time", `${seconds.toFixed(1)} s: ${Math.round(deliveries.length / seconds)} events a second`],
  ];
  return [title, ...rows.map(([what, figure]) => `  ${what.padEnd(17)} ${figure}`), ""].join("\n");
}

/** Events whose attempts all failed. */
export function countFailed(deliveries: readonly Delivery[]): number {
  return deliveries.filter(({ status }) => status === "failed").length;
}

function describeInterruptions({ interruptions }: Performance): string {
  const ofStore = interruptions.filter(({ process }) => process === undefined);
  const longest = Math.max(0, ...ofStore.map(({ from, to }) => to - from));
  const processes = interruptions.length - ofStore.length;
  return `${processes} processes; ${ofStore.length} times the store, away for ${(longest / 1000).toFixed(1)} s at most`;
}

function describeDeliveries(deliveries: readonly Delivery[]): string {
  const attempts = deliveries.flatMap((delivery) => delivery.attempts);
  const duplicates = attempts.filter(({ cause }) => cause === "duplicate").length;
  const retries = attempts.filter(({ cause }) => cause === "schedule").length - deliveries.length;
  return `${attempts.length}: ${retries} retries, ${duplicates} duplicates`;
}

function describeHandlers({ history: { sent, runs, effects }, lines }: Outcome): string {
  const standing = new Set(effects);
  const overtaken = sent.filter((event) => !event.failed && !standing.has(nameOf(event))).length;
  const failures = lines.filter((line) => line.type === "published" && line.event === "webhook.failed").length;
  return `${standing.size} effects, ${runs.length - standing.size} written again after a crash; ${overtaken} events overtaken, ${failures} failures of handlers`;
}

function describeLogins({ logins }: Performance): string {
  const { untouched, bySameCode, byAnotherCode } = classify(logins);
  return `${logins.length}: ${untouched} untouched, ${bySameCode} by the same code after a failure, ${byAnotherCode} by another code`;
}
