import { type History, isRepeatedForNothing, nameOf, type Run, type SentEvent } from "./history.ts";

/** A rule that every event must keep. */
export type Rule =
  /** Only events that the service sent have an effect. */
  | "invented"
  /** No effect happened more than once. */
  | "doubled"
  /** Every event has its effect, unless a newer one has begun first. */
  | "lost"
  /** No handler begins for an older event of one thing after that of a newer event; in transactions, none is committed after it. */
  | "out of order"
  /** The last effect of a thing is that of its newest event. */
  | "wrong last state"
  /** A handler runs again only after an interruption. */
  | "repeated"
  /** An event has one key, and no other event has it. */
  | "wrong key";

/** A rule that was broken. */
export interface Violation {
  readonly rule: Rule;
  /** The name of the event, or its key. */
  readonly event: string;
}

/** A history with indexes. */
interface Facts extends History {
  /** By the message or verification, in the order of time. */
  readonly entities: ReadonlyMap<string, readonly SentEvent[]>;
  readonly events: ReadonlyMap<string, SentEvent>;
  readonly runsOf: ReadonlyMap<string, readonly Run[]>;
  readonly standing: ReadonlySet<string>;
}

/**
 * Compares what a chaos run left behind with what the service sent.
 *
 * An event may be missing when the app skipped it after the handler of a newer one had begun, which has its effect, or when the
 * service gave it up. The newest event of a thing may never be missing.
 */
export function judge(history: History): readonly Violation[] {
  const sorted = history.sent.toSorted((left, right) => (left.instant < right.instant ? -1 : 1));
  const facts: Facts = {
    ...history,
    entities: Map.groupBy(sorted, ({ entity }) => entity),
    events: new Map(sorted.map((event) => [nameOf(event), event])),
    runsOf: Map.groupBy(history.runs, nameOf),
    standing: new Set(history.effects),
  };
  const found: Readonly<Record<Rule, readonly string[]>> = {
    invented: findInvented(facts),
    doubled: findDoubled(facts),
    lost: findLost(facts),
    "out of order": findDisorder(facts),
    "wrong last state": findWrongStates(facts),
    repeated: findRepeated(facts),
    "wrong key": findWrongKeys(facts),
  };
  return Object.entries(found).flatMap(([rule, events]) => events.map((event) => ({ rule: rule as Rule, event })));
}

function findInvented({ events, runsOf, standing }: Facts): readonly string[] {
  return [...new Set([...standing, ...runsOf.keys()])].filter((name) => !events.has(name));
}

function findDoubled({ effects }: Facts): readonly string[] {
  return [...Map.groupBy(effects, (name) => name)].filter(([, same]) => same.length > 1).map(([name]) => name);
}

function findLost(facts: Facts): readonly string[] {
  return [...facts.entities.values()].flatMap((events) =>
    events
      .filter((event, index) => {
        if (facts.standing.has(nameOf(event))) return false;
        const newer = events.slice(index + 1);
        return newer.length === 0 || !(event.failed || wasSkipped(facts, event, newer));
      })
      .map(nameOf),
  );
}

function wasSkipped(facts: Facts, event: SentEvent, newer: readonly SentEvent[]): boolean {
  const lastTime = Math.max(...(facts.skipped.get(nameOf(event)) ?? []));
  const names = newer.map(nameOf);
  // The one that had begun may have been skipped for an even newer one.
  return names.some((name) => facts.standing.has(name)) && names.some((name) => hadBegun(facts, name, lastTime));
}

/**
 * Tells whether the app may have noted that the handler of an event begins. It notes that before the handler can say so, and perhaps
 * without an answer of the store. Nothing is noted where a transaction takes back what an interrupted handler did.
 */
function hadBegun(facts: Facts, name: string, time: number): boolean {
  const { runsOf, failures, interruptions, arrivals, transactional } = facts;
  const arrivedAt = arrivals.get(name) ?? Number.POSITIVE_INFINITY;
  const times = [...(runsOf.get(name) ?? []).map(({ at }) => at), ...(failures.get(name) ?? [])];
  if (times.some((at) => at < time)) return true;
  // One that came before and has run at all: its run is logged a moment after it has begun.
  const mayHaveBegun = times.length > 0 && arrivedAt < time;
  return !transactional && (mayHaveBegun || interruptions.some(({ from }) => from < time));
}

/** Answers the events of each thing that have an effect, in the order of the effects. */
function standingOf({ effects, events }: Facts): ReadonlyMap<string, readonly SentEvent[]> {
  const standing = effects.flatMap((name) => events.get(name) ?? []);
  return Map.groupBy(standing, ({ entity }) => entity);
}

/** A run that was rolled back says nothing about the order. Any other one counts, whether its event was marked as handled or not. */
function findDisorder(facts: Facts): readonly string[] {
  const begun = facts.transactional ? standingOf(facts) : Map.groupBy(facts.runs, ({ entity }) => entity);
  return [...begun.values()].flatMap((events) => {
    let newest = "";
    return events
      .filter(({ instant }) => {
        const isOlder = instant < newest;
        if (!isOlder) newest = instant;
        return isOlder;
      })
      .map(nameOf);
  });
}

/** Compares what the handler wrote last, like an app that keeps only the state of each thing. */
function findWrongStates(facts: Facts): readonly string[] {
  return [...standingOf(facts)].flatMap(([entity, events]) => {
    const name = nameOf(events.at(-1) ?? { entity, instant: "" });
    const written = facts.runsOf.get(name)?.at(-1)?.told;
    return written === facts.entities.get(entity)?.at(-1)?.told ? [] : [name];
  });
}

function findRepeated({ runsOf, interruptions }: Facts): readonly string[] {
  return [...runsOf].filter(([, runs]) => isRepeatedForNothing(runs, interruptions)).map(([name]) => name);
}

function findWrongKeys({ runs, runsOf }: Facts): readonly string[] {
  const several = (same: readonly Run[], what: (run: Run) => string) => new Set(same.map(what)).size > 1;
  return [
    ...[...runsOf].filter(([, same]) => several(same, ({ key }) => key)),
    ...[...Map.groupBy(runs, ({ key }) => key)].filter(([, same]) => several(same, nameOf)),
  ].map(([name]) => name);
}
