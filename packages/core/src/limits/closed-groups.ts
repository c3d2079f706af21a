import { z } from "zod";
import { readRecord } from "../store/record.ts";
import type { Store } from "../store/store.ts";
import type { ClientAddress } from "../util/client-address.ts";
import { closingChange, closingsChange, isClosedQuery } from "./group-counters.ts";
import { type Group, type GroupKind, groupRules } from "./groups.ts";
import { askTogether } from "./query.ts";

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
export function createClosedGroups(store: Store, prefix: string): ClosedGroups {
  const countChange = (by: 0 | 1) => ({ key: `${prefix}:closed`, by, ttlSeconds: countSeconds, renew: true });
  const placeKey = (place: number) => `${prefix}:closed:${place % maxListed}`;

  async function add(group: Group, client: ClientAddress, seconds: number): Promise<void> {
    const { rule, name } = group;
    const [counted] = await store.increment([countChange(1)]);
    const record = JSON.stringify({ kind: rule.kind, name, value: describeGroup(group, client) });
    await store.put(placeKey(counted?.count ?? 0), record, { ttlSeconds: seconds });
  }

  return {
    async close(group, client, seconds) {
      const [closed] = await store.increment([closingChange(prefix, group, seconds)]);
      if (!closed?.granted) return;
      await Promise.all([store.increment([closingsChange(prefix, group)]), add(group, client, seconds)]);
    },
    async list() {
      const [counted] = await store.increment([countChange(0)]);
      const places = Array.from({ length: Math.min(counted?.count ?? 0, maxListed) }, (_, place) => place);
      if (places.length === 0) return [];
      const keys = places.map((place) => placeKey((counted?.count ?? 0) - place));
      const records = (await store.get(keys)).flatMap((stored) => readRecord(recordShape, stored) ?? []);
      const listed = records.flatMap(({ kind, name, value }) => {
        const rule = groupRules.find((candidate) => candidate.kind === kind);
        return rule ? [{ group: { rule, name }, value }] : [];
      });
      // A group may have been opened since, and closed again.
      const unique = [...new Map(listed.map((entry) => [`${entry.group.rule.kind} ${entry.value}`, entry])).values()];
      const states = await askTogether(
        store,
        unique.map(({ group }) => isClosedQuery(prefix, group)),
      );
      return unique.flatMap(({ group, value }, index) => {
        const secondsLeft = states[index]?.secondsLeft ?? 0;
        return secondsLeft > 0 ? [{ kind: group.rule.kind, value, secondsLeft }] : [];
      });
    },
  };
}

/** Returns what an operator knows a group by: a fingerprint would tell nothing. */
function describeGroup({ rule, name }: Group, { address, network }: ClientAddress): string {
  if (rule.kind === "address") return address;
  return rule.kind === "network" ? network : name;
}
