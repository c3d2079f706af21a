import { createMemoryStore } from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import { createManualClock } from "@doorcode/core/testing";
import fc from "fast-check";
import { expect } from "vitest";

/** A store that is compared with the memory store. */
export interface ModelledStore {
  readonly store: Store;
  /** Removes all entries. */
  clear(): Promise<unknown>;
  /** Lets time pass for every entry. */
  advance(milliseconds: number): Promise<unknown>;
  /** Removes what has expired, where the server does not do it alone. */
  removeExpired?(): Promise<unknown>;
}

/** One call of a store. Between calls, ten seconds may pass, so that no lifetime ends close to a call, or entries are removed. */
type Call = (store: Store) => Promise<unknown>;

const keys = ["a", "b", "c"] as const;
const key = fc.constantFrom(...keys);
const token = fc.constantFrom("one", "two");
const value = fc.option(fc.constantFrom("", "x", "\0"), { nil: undefined });
const seconds = fc.constantFrom(5, 15, 25);
const change = fc.record({
  key,
  by: fc.integer({ min: -3, max: 4 }),
  limit: fc.option(fc.integer({ min: -1, max: 6 }), { nil: Number.POSITIVE_INFINITY }),
  ttlSeconds: seconds,
  renew: fc.boolean(),
});

/** One call, or several of different keys, which may share a statement. */
function atOnce<Given extends { readonly key: string }>(given: fc.Arbitrary<Given>): fc.Arbitrary<Given[]> {
  return fc.uniqueArray(given, { minLength: 1, maxLength: 3, selector: (one) => one.key });
}

const step: fc.Arbitrary<{ readonly says: string; readonly call: Call } | "time" | "removal"> = fc.oneof(
  fc.constantFrom("time" as const, "time" as const, "removal" as const),
  fc.record({ key, value, ttlSeconds: seconds }).map((given) => ({
    says: `put ${JSON.stringify(given)}`,
    call: (store: Store) => store.put(given.key, given.value, given),
  })),
  fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => ({
    says: `increment ${JSON.stringify(changes)}`,
    call: (store: Store) => store.increment(changes),
  })),
  atOnce(fc.record({ key, token, leaseSeconds: seconds, ttlSeconds: seconds })).map((leases) => ({
    says: `lease ${JSON.stringify(leases)}`,
    call: (store: Store) => Promise.all(leases.map((given) => store.lease(given.key, given.token, given))),
  })),
  atOnce(fc.record({ key, token, value, ttlSeconds: seconds, hold: fc.boolean() })).map((settled) => ({
    says: `settle ${JSON.stringify(settled)}`,
    call: (store: Store) =>
      Promise.all(settled.map((given) => store.settle(given.key, given.token, given.value, given))),
  })),
);

/** Lets the time that is left count in steps of five seconds: a server's clock goes on while the steps are carried out. */
function roundUp(answer: unknown): unknown {
  if (!Array.isArray(answer)) return answer;
  return answer.map((state) =>
    state?.secondsLeft === undefined ? state : { ...state, secondsLeft: Math.ceil(state.secondsLeft / 5) * 5 },
  );
}

/** Reads all that a store tells of its entries, without a change. */
function readAll(store: Store): Promise<unknown> {
  const counters = keys.map((key) => ({ key, by: 0, ttlSeconds: 5 }));
  return Promise.all([store.get([...keys, "a"]), store.increment(counters).then(roundUp)]);
}

/** Makes calls in random orders, and asserts that the store answers each, and has the same entries after it, as the memory store. */
export async function compareWithMemory({ store, clear, advance, removeExpired }: ModelledStore): Promise<void> {
  const history = fc.array(step, { minLength: 10, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      await clear();
      const clock = createManualClock();
      const memory = createMemoryStore({ clock });
      const said: string[] = [];
      for (const next of steps) {
        said.push(typeof next === "string" ? next : next.says);
        if (next === "removal") await removeExpired?.();
        else if (next === "time") await Promise.all([clock.advance(10_000), advance(10_000)]);
        else expect(roundUp(await next.call(store)), said.join("\n")).toEqual(roundUp(await next.call(memory)));
        expect(await readAll(store), said.join("\n")).toEqual(await readAll(memory));
      }
    }),
    { numRuns: 20, seed: 20_261_121 },
  );
}
