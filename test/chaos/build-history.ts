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
  /** When each event first came to the app, by its name. */
  readonly arrivals: ReadonlyMap<string, number>;
}

/** Builds the history of a run. */
export function buildHistory({ deliveries, lines, committed, interruptions, arrivals }: Records): History {
  const runs = readRuns(lines);
  const namesOfRuns = new Map(runs.map((run) => [run.key, nameOf(run)]));
  const effects = committed?.map((key) => namesOfRuns.get(key) ?? key) ?? keyedEffects(runs);
  const names = new Map([...namesOfRuns, ...namesWithoutEffect(deliveries, new Set(effects))]);
  return {
    sent: deliveries.map(readSent),
    runs,
    skipped: timesOf("webhook.stale", lines, names),
    failures: timesOf("webhook.failed", lines, names),
    transactional: committed !== undefined,
    effects,
    interruptions,
    arrivals,
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

/** Answers when the kit published something of each event: by its name. */
function timesOf(
  event: string,
  lines: readonly LogLine[],
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly number[]> {
  const named = lines.filter((line) => isPublished(line, event)).filter(({ key }) => names.has(key));
  const byName = Map.groupBy(named, ({ key }) => names.get(key) ?? "");
  return new Map([...byName].map(([name, same]) => [name, same.map(({ at }) => at)]));
}

/** Reads only the payload, in the format of the sandbox. */
function readSent({ subjectId, eventStatus: told, payload, status }: Delivery): SentEvent {
  const { data } = JSON.parse(payload);
  const instant: string = data.status_updated_at ?? data.updated_at;
  return { entity: subjectId, instant, told, failed: status === "failed" };
}

/** The kit names an event by its key only, so the keys of the events without an effect are computed. */
function namesWithoutEffect(
  deliveries: readonly Delivery[],
  effects: ReadonlySet<string>,
): readonly (readonly [key: string, name: string])[] {
  const without = deliveries.filter((delivery) => !effects.has(nameOf(readSent(delivery))));
  return without.map((delivery) => [keyOf(delivery), nameOf(readSent(delivery))]);
}

function keyOf({ payload }: Delivery): string {
  const event = parseEvent(new TextEncoder().encode(payload));
  return "unreadable" in event ? "" : event.key;
}
