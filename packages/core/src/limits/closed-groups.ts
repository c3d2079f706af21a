import { z } from "zod";
import { readRecord } from "../store/checked-store.ts";
import type { Store } from "../store/store.ts";
import type { ClientAddress } from "../util/client-address.ts";
import { emptied } from "./budgets.ts";
import type { CounterDeps } from "./counter.ts";
import { closedCounters, unconfirmedCounter } from "./counter-table.ts";
import { type Group, type GroupKind, groupRules } from "./groups.ts";

/** A group that gets no codes now. */
export interface ClosedGroup {
  readonly kind: GroupKind;
  /** The beginning of the block's numbers, the address or the network. */
  readonly value: string;
  /** The time until it opens by itself. */
  readonly secondsLeft: number;
}

/** Closes groups, and lists them, so that an operator can see them. */
export interface ClosedGroups {
  /** Closes a group, once of any number of calls at the same time. */
  close(group: Group, client: ClientAddress, seconds: number): Promise<void>;
  /** Lists the groups that are closed, of the last 500 closings. */
  list(): Promise<readonly ClosedGroup[]>;
}

/** A store cannot list its keys. So each closing takes the next place of a list that begins again at its end. */
const maxListed = 500;
const countSeconds = 30 * 86_400;

const recordShape = z.object({ kind: z.string(), name: z.string(), value: z.string() });

/** Creates the list. Addresses stand in it in plain text, for as long as they are closed. */
export function createClosedGroups(deps: CounterDeps & { readonly store: Store }): ClosedGroups {
  const { store, name: app } = deps;
  const placeKey = (place: number) => `${app}:limits:closed:${place % maxListed}`;

  async function changePlace(by: 0 | 1): Promise<number> {
    const key = `${app}:limits:closed`;
    const [counted] = await store.increment([{ key, by, ttlSeconds: countSeconds, renew: true }]);
    return counted?.count ?? 0;
  }

  return {
    async close(group, client, seconds) {
      const [closed, timesClosed] = closedCounters(deps, group, seconds);
      const [state] = await store.increment([closed]);
      if (!state?.granted) return;
      // It opens again with a balance of zero.
      await store.increment([timesClosed, emptied(unconfirmedCounter(deps, group, 0))]);
      const record = { kind: group.rule.kind, name: group.name, value: describeGroup(group, client) };
      await store.put(placeKey(await changePlace(1)), JSON.stringify(record), { ttlSeconds: seconds });
    },
    async list() {
      const newest = await changePlace(0);
      const places = Array.from({ length: Math.min(newest, maxListed) }, (_, index) => newest - index);
      if (places.length === 0) return [];
      const records = (await store.get(places.map(placeKey))).flatMap((text) => readRecord(recordShape, text) ?? []);
      // A group may have been opened since, and closed again.
      const unique = new Map(records.map((record) => [`${record.kind} ${record.value}`, record]));
      const listed = [...unique.values()].flatMap(({ kind, name, value }) => {
        const rule = groupRules.find((candidate) => candidate.kind === kind);
        return rule ? [{ group: { rule, name }, value }] : [];
      });
      const states = await store.increment(listed.map(({ group }) => closedCounters(deps, group)[0]));
      return listed.flatMap(({ group, value }, index) => {
        const { count = 0, secondsLeft = 0 } = states[index] ?? {};
        return count > 0 ? [{ kind: group.rule.kind, value, secondsLeft }] : [];
      });
    },
  };
}

/** Returns what an operator knows a group by: a fingerprint would tell nothing. */
function describeGroup({ rule, name }: Group, { address, network }: ClientAddress): string {
  if (rule.kind === "address") return address;
  return rule.kind === "network" ? network : name;
}
