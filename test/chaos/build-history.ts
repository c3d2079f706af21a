import { parseEvent } from "@doorcode/core";
import type { Delivery } from "@doorcode/sandbox";
import { type History, type Interruption, keyedEffects, nameOf, type Run, type SentEvent } from "./history.ts";
import type { LogLine } from "./process-log.ts";

/** All records of a run that is over. */
export interface Records {
  /** The deliveries that the service recorded. */
  readonly deliveries: readonly Delivery[];
  /** The lines that the processes wrote. */
  readonly lines: readonly LogLine[];
  /** The keys of the effects in the store, in their order; undefined where handlers keep them under `event.key`. */
  readonly committed: readonly string[] | undefined;
  readonly interruptions: readonly Interruption[];
}

/** Builds the history of a run. */
export function buildHistory({ deliveries, lines, committed, interruptions }: Records): History {
  const runs = readRuns(lines);
  const names = new Map(runs.map((run) => [run.key, nameOf(run)]));
  const effects = committed?.map((key) => names.get(key) ?? key) ?? keyedEffects(runs);
  return {
    sent: deliveries.map(readSent),
    runs,
    leftUnmarked: committed ? new Set() : readLeftUnmarked(lines, names),
    skipped: readSkipped(deliveries, lines, new Set(effects)),
    effects,
    interruptions,
  };
}

/** Answers the keys of the events that the app handled or skipped. */
export function settledKeys({ lines, committed }: Pick<Records, "lines" | "committed">): ReadonlySet<string> {
  const skipped = lines.flatMap((line) => (isSkip(line) ? line.key : []));
  return new Set([...skipped, ...(committed ?? readRuns(lines).map(({ key }) => key))]);
}

/**
 * Answers when processes got no answer of the store, as they say themselves. Nobody has to be killed for that: on a machine that
 * stalls, an answer comes later than the kit waits.
 */
export function readFailedCalls(lines: readonly LogLine[]): readonly Interruption[] {
  const failed = lines.filter((line) => line.type === "published" && line.event === "store.failed");
  return failed.map(({ at, process }) => ({ from: at, to: at, process }));
}

function readRuns(lines: readonly LogLine[]): readonly Run[] {
  return lines.filter((line) => line.type === "run").sort((left, right) => left.at - right.at);
}

function isSkip(line: LogLine): line is Published {
  return isPublished(line, "webhook.stale");
}

function isPublished(line: LogLine, event: string): line is Published {
  return line.type === "published" && line.event === event && line.key !== undefined;
}

type Published = Extract<LogLine, { type: "published" }> & { readonly key: string };

function readLeftUnmarked(lines: readonly LogLine[], names: ReadonlyMap<string, string>): ReadonlySet<string> {
  const marked = new Set(lines.flatMap((line) => (isPublished(line, "webhook.handled") ? line.key : [])));
  const skipped = lines.flatMap((line) => (isSkip(line) && !marked.has(line.key) ? line.key : []));
  return new Set(skipped.flatMap((key) => names.get(key) ?? []));
}

/** Reads only the payload, in the format of the sandbox. */
function readSent({ subjectId, eventStatus: told, payload, status }: Delivery): SentEvent {
  const { data } = JSON.parse(payload);
  const instant: string = data.status_updated_at ?? data.updated_at;
  return { entity: subjectId, instant, told, failed: status === "failed" };
}

/** The kit names a skipped event by its key only, so the keys of the events without an effect are computed. */
function readSkipped(
  deliveries: readonly Delivery[],
  lines: readonly LogLine[],
  effects: ReadonlySet<string>,
): History["skipped"] {
  const without = deliveries.filter((delivery) => !effects.has(nameOf(readSent(delivery))));
  const names = new Map(without.map((delivery) => [keyOf(delivery), nameOf(readSent(delivery))]));
  const skipped = lines.filter(isSkip).filter(({ key }) => names.has(key));
  const byName = Map.groupBy(skipped, ({ key }) => names.get(key) ?? "");
  return new Map([...byName].map(([name, same]) => [name, same.map(({ at }) => at)]));
}

function keyOf({ payload }: Delivery): string {
  const event = parseEvent(new TextEncoder().encode(payload));
  return "unreadable" in event ? "" : event.key;
}
