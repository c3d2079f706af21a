import { z } from "zod";
import { readRecord } from "../store/checked-store.ts";
import { closedCounters, isBlock, type LimitDeps, unconfirmedCounter } from "./counter-table.ts";
import { emptied } from "./counters.ts";
import type { Group } from "./decision.ts";
import { type GroupKind, groupKinds } from "./login-limits.ts";

/** A group that gets no codes now. */
export interface ClosedGroup {
  readonly kind: GroupKind;
  /** The beginning of the block's numbers, the address or the network. */
  readonly value: string;
  /** The time until it opens by itself. */
  readonly secondsLeft: number;
}

/*
 * A store cannot list its keys. So each closing takes the next place of a list that begins again at its end. Addresses stand in it in plain
 * text, for as long as they are closed.
 */
const maxListed = 500;
const countSeconds = 30 * 86_400;
const recordShape = z.object({ kind: z.enum(groupKinds), value: z.string() });

function placeKey({ name }: LimitDeps, place: number): string {
  return `${name}:limits:closed:${place % maxListed}`;
}

async function changePlace({ store, name }: LimitDeps, by: 0 | 1): Promise<number> {
  const [counted] = await store.increment([
    { key: `${name}:limits:closed`, by, ttlSeconds: countSeconds, renew: true },
  ]);
  return counted?.count ?? 0;
}

/** Closes a group, once of any number of calls at the same time. */
export async function closeGroup(deps: LimitDeps, group: Group, seconds: number): Promise<void> {
  const { store } = deps;
  const [closed, timesClosed] = closedCounters(deps, group, seconds);
  const [state] = await store.increment([closed]);
  if (!state?.granted) return;
  // It opens again with a balance of zero.
  await store.increment([timesClosed, emptied(unconfirmedCounter(deps, group, 0))]);
  const record = { kind: group.kind, value: group.value };
  await store.put(placeKey(deps, await changePlace(deps, 1)), JSON.stringify(record), { ttlSeconds: seconds });
}

/** Lists the groups that are closed, of the last 500 closings. */
export async function listClosedGroups(deps: LimitDeps): Promise<readonly ClosedGroup[]> {
  const { store } = deps;
  const newest = await changePlace(deps, 0);
  const places = Array.from({ length: Math.min(newest, maxListed) }, (_, index) => newest - index);
  const texts = await store.get(places.map((place) => placeKey(deps, place)));
  const records = texts.flatMap((text) => readRecord(recordShape, text) ?? []);
  // A group may have been opened since, and closed again.
  const unique = new Map(records.map((record) => [`${record.kind} ${record.value}`, record]));
  const groups = [...unique.values()].map(({ kind, value }) => groupAt(deps, kind, value));
  const states = await store.increment(groups.map((group) => closedCounters(deps, group)[0]));
  return groups.flatMap(({ kind, value }, index) => {
    const { count = 0, secondsLeft = 0 } = states[index] ?? {};
    return count > 0 ? [{ kind, value, secondsLeft }] : [];
  });
}

/** Returns the group that an operator knows by a value. */
export function groupAt({ keys }: LimitDeps, kind: GroupKind, value: string): Group {
  return { kind, value, name: isBlock({ kind }) ? value : keys.fingerprint(value) };
}
