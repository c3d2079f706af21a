import { parseEvent } from "@doorcode/core";
import type { Delivery } from "@doorcode/sandbox";
import { type History, type Interruption, keyedEffects, nameOf, type Run, type SentEvent } from "./history.ts";
import type { LedgerLine } from "./ledger.ts";

/** What is known when a run is over. */
export interface Records {
  /** What the service has recorded. */
  readonly deliveries: readonly Delivery[];
  /** What the processes wrote down. */
  readonly lines: readonly LedgerLine[];
  /** The keys of the effects in the store, in their order; undefined where handlers keep them under `event.key`. */
  readonly committed: readonly string[] | undefined;
  readonly interruptions: readonly Interruption[];
}

/** Puts the history of a run together. */
export function gatherHistory({ deliveries, lines, committed, interruptions }: Records): History {
  const runs = readRuns(lines);
  const names = new Map(runs.map((run) => [run.key, nameOf(run)]));
  const effects = committed?.map((key) => names.get(key) ?? key) ?? keyedEffects(runs);
  return {
    sent: deliveries.map(readSent),
    runs,
    leftUnmarked: committed ? new Set() : readLeftUnmarked(lines, names),
    passedOver: readPassedOver(deliveries, lines, new Set(effects)),
    effects,
    interruptions,
  };
}

/** The events that the app is done with, whether it handled them or passed over them. */
export function keysDone({ lines, committed }: Pick<Records, "lines" | "committed">): ReadonlySet<string> {
  const passed = lines.flatMap((line) => (isPassing(line) ? line.key : []));
  return new Set([...passed, ...(committed ?? readRuns(lines).map(({ key }) => key))]);
}

function readRuns(lines: readonly LedgerLine[]): readonly Run[] {
  return lines.filter((line) => line.type === "run").sort((left, right) => left.at - right.at);
}

function isPassing(line: LedgerLine): line is Told {
  return isTold(line, "webhook.stale");
}

function isTold(line: LedgerLine, event: string): line is Told {
  return line.type === "published" && line.event === event && line.key !== undefined;
}

type Told = Extract<LedgerLine, { type: "published" }> & { readonly key: string };

function readLeftUnmarked(lines: readonly LedgerLine[], names: ReadonlyMap<string, string>): ReadonlySet<string> {
  const marked = new Set(lines.flatMap((line) => (isTold(line, "webhook.handled") ? line.key : [])));
  const passed = lines.flatMap((line) => (isPassing(line) && !marked.has(line.key) ? line.key : []));
  return new Set(passed.flatMap((key) => names.get(key) ?? []));
}

/** By the payload alone, whose form is that of the sandbox. */
function readSent({ subjectId, eventStatus: told, payload, status }: Delivery): SentEvent {
  const { data } = JSON.parse(payload);
  const instant: string = data.status_updated_at ?? data.updated_at;
  return { entity: subjectId, instant, told, failed: status === "failed" };
}

/** The kit names what it passed over by its key only: it is asked for the keys of what has no effect. */
function readPassedOver(
  deliveries: readonly Delivery[],
  lines: readonly LedgerLine[],
  standing: ReadonlySet<string>,
): History["passedOver"] {
  const without = deliveries.filter((delivery) => !standing.has(nameOf(readSent(delivery))));
  const names = new Map(without.map((delivery) => [keyOf(delivery), nameOf(readSent(delivery))]));
  const passed = lines.filter(isPassing).filter(({ key }) => names.has(key));
  const byName = Map.groupBy(passed, ({ key }) => names.get(key) ?? "");
  return new Map([...byName].map(([name, same]) => [name, same.map(({ at }) => at)]));
}

function keyOf({ payload }: Delivery): string {
  const event = parseEvent(new TextEncoder().encode(payload));
  return "unreadable" in event ? "" : event.key;
}
