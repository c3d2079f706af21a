import type { Delivery } from "@doorcode/sandbox";
import { readFailedCalls } from "./build-history.ts";
import { type History, nameOf } from "./history.ts";
import { classify } from "./logins.ts";
import { describePlan } from "./plan.ts";
import type { LogLine } from "./process-log.ts";
import type { ChaosRun } from "./run-chaos.ts";
import type { ChaosSetup } from "./setup.ts";

/** All that is known of a run when it is over. */
export interface Outcome extends Pick<ChaosSetup, "plan" | "apps" | "loadBalancer"> {
  readonly run: ChaosRun;
  readonly deliveries: readonly Delivery[];
  readonly lines: readonly LogLine[];
  readonly history: History;
}

/** Writes a block of figures, for the output of the tests. */
export function describeOutcome(title: string, outcome: Outcome): string {
  const { plan, run, loadBalancer, deliveries } = outcome;
  const { cut, late, lost, refused } = loadBalancer;
  const rows: readonly (readonly [string, string])[] = [
    ["seed", `${plan.seed}: ${describePlan(plan)}`],
    ["killed by kill -9", describeInterruptions(run)],
    ["events", `${deliveries.length} about ${new Set(deliveries.map(({ subjectId }) => subjectId)).size} things`],
    ["deliveries", describeDeliveries(deliveries)],
    ["faults", run.faults.map(({ action, fired }) => `${fired} ${action.type}`).join(", ")],
    ["on the way", `${cut.count} cut bodies, ${late.count} late answers, ${lost.count} lost answers`],
    ["store", `${readFailedCalls(outcome.lines).length} calls of the processes without an answer`],
    ["refused", `${refused.count} answered 5xx, or reached a process that ended`],
    ["handlers", describeHandlers(outcome)],
    ["given up", `${countFailed(deliveries)} events of the outage, ${run.sentAgain} others sent again by hand`],
    ["reconciled", run.reconciliations.map((found) => `${found.accepted} of ${found.listed} accepted`).join(", then ")],
    ["logins", describeLogins(run)],
    ["time", `${run.seconds.toFixed(1)} s: ${Math.round(deliveries.length / run.seconds)} events a second`],
  ];
  return [title, ...rows.map(([what, figure]) => `  ${what.padEnd(17)} ${figure}`), ""].join("\n");
}

/** Counts the events whose attempts all failed. */
export function countFailed(deliveries: readonly Delivery[]): number {
  return deliveries.filter(({ status }) => status === "failed").length;
}

function describeInterruptions({ interruptions }: ChaosRun): string {
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
  const skipped = sent.filter((event) => !event.failed && !standing.has(nameOf(event))).length;
  const failures = lines.filter((line) => line.type === "published" && line.event === "webhook.failed").length;
  return `${standing.size} effects, ${runs.length - standing.size} written again after a crash; ${skipped} events skipped for newer ones, ${failures} failures`;
}

function describeLogins({ logins }: ChaosRun): string {
  const { untouched, bySameCode, byAnotherCode } = classify(logins);
  return `${logins.length}: ${untouched} untouched, ${bySameCode} by the same code after a failure, ${byAnotherCode} by another code`;
}
