import assert from "node:assert/strict";
import type { CounterChange, CounterState, Store } from "@doorcode/core/store";
import { countOf, freshKey, longLease, minute } from "./fresh-key.ts";
import type { StoreCheck } from "./store-check.ts";

const callers: readonly string[] = Array.from({ length: 200 }, (_, index) => `caller ${index}`);
const numbers = callers.map((_, index) => index + 1);

/** The checks of two hundred calls at the same time. */
export const raceChecks: readonly StoreCheck[] = [
  {
    title: "grants exactly the limit when two hundred increments race",
    async check(store) {
      const key = freshKey();
      assert.deepEqual(
        grantedCounts(await race(store, { key, by: 1, limit: 5, ...minute })),
        [1, 2, 3, 4, 5],
        distinctCounts,
      );
      assert.equal(await countOf(store, key), 5, "A refused change must not be counted.");
    },
  },
  {
    title: "counts all of two hundred increments that race without a limit, and all that subtract",
    async check(store) {
      const key = freshKey();
      assert.deepEqual(grantedCounts(await race(store, { key, by: 1, ...minute })), numbers, distinctCounts);
      const subtracted = grantedCounts(await race(store, { key, by: -1, ...minute }));
      assert.deepEqual(
        subtracted.map((count) => count + 1),
        numbers,
        distinctCounts,
      );
      assert.equal(await countOf(store, key), 0, "The count must be 0 after all are subtracted.");
    },
  },
  {
    title: "starts a new window once when two hundred increments find it expired",
    async check(store, { advance }) {
      const key = freshKey();
      await store.increment([{ key, by: 3, ttlSeconds: 1 }]);
      await advance(1000);
      assert.deepEqual(
        grantedCounts(await race(store, { key, by: 1, limit: 5, ...minute })),
        [1, 2, 3, 4, 5],
        distinctCounts,
      );
      assert.equal(await countOf(store, key), 5, "A new window must start only once.");
    },
  },
  {
    title: "counts all increments of lists that race with their keys in opposite order",
    async check(store) {
      const keys = [freshKey(), freshKey(), freshKey()];
      const ascending = keys.map((key) => ({ key, by: 1, ...minute }));
      const descending = ascending.toReversed();
      await Promise.all(callers.map((_, index) => store.increment(index % 2 === 0 ? ascending : descending)));
      const counts = await Promise.all(keys.map((key) => countOf(store, key)));
      assert.deepEqual(
        counts,
        keys.map(() => callers.length),
        "Every increment must be counted once.",
      );
    },
  },
  {
    title: "stores one of two hundred values completely when they are put at the same time",
    async check(store) {
      const key = freshKey();
      const values = callers.map((caller) => caller.repeat(500));
      const read = await Promise.all(
        values.flatMap((value) => [store.put(key, value, minute).then(() => []), store.get([key])]),
      );
      const [stored] = await store.get([key]);
      assert.ok(stored !== undefined && values.includes(stored), "One of the values must be stored completely.");
      const torn = read.flat().filter((value) => value !== undefined && !values.includes(value));
      assert.equal(torn.length, 0, "get must only return values that were put.");
    },
  },
  {
    title: "settles a lease at most once when two hundred put and settle at the same time",
    async check(store) {
      const key = freshKey();
      await store.lease(key, "a", longLease);
      const isPut = (index: number) => index % 4 === 3;
      const settled = await Promise.all(
        callers.map((value, index) =>
          isPut(index) ? store.put(key, value, minute).then(() => false) : store.settle(key, "a", value, minute),
        ),
      );
      assert.ok(settled.filter(Boolean).length <= 1, "A lease must settle at most once.");
      const [stored] = await store.get([key]);
      const written = callers.filter((_, index) => isPut(index) || settled[index]);
      assert.ok(
        stored !== undefined && written.includes(stored),
        "The stored value must be one that was put or settled.",
      );
      assert.equal(await store.settle(key, "a", "late", minute), false, "The lease must have ended.");
    },
  },
  {
    title: "leases an absent key to exactly one of two hundred tokens, and settles only for that one",
    async check(store) {
      const key = freshKey();
      const leases = await Promise.all(callers.map((token) => store.lease(key, token, longLease)));
      const holders = callers.filter((_, index) => leases[index]?.held);
      assert.equal(holders.length, 1, "Exactly one token must hold the lease.");
      const settled = await Promise.all(callers.map((token) => store.settle(key, token, token, minute)));
      const winners = callers.filter((_, index) => settled[index]);
      assert.deepEqual(winners, holders, "Only the holder must settle.");
      assert.deepEqual(await store.get([key]), holders, "The value of the holder must be stored.");
    },
  },
  {
    title: "leases a key whose lease ran out to exactly one of two hundred tokens",
    async check(store, { advance }) {
      const key = freshKey();
      await store.put(key, "value", minute);
      await store.lease(key, "gone", { leaseSeconds: 1, ttlSeconds: 60 });
      await advance(1000);
      const leases = await Promise.all(callers.map((token) => store.lease(key, token, longLease)));
      assert.equal(leases.filter(({ held }) => held).length, 1, "Exactly one token must take over.");
      assert.ok(
        leases.every(({ value }) => value === "value"),
        "Each call must return the value.",
      );
    },
  },
  {
    title: "settles a lease exactly once when its holder settles two hundred times at the same time",
    async check(store) {
      const key = freshKey();
      await store.lease(key, "a", longLease);
      const settled = await Promise.all(callers.map((value) => store.settle(key, "a", value, minute)));
      const written = callers.filter((_, index) => settled[index]);
      assert.equal(written.length, 1, "settle must return true exactly once.");
      assert.deepEqual(await store.get([key]), written, "The stored value must be the settled one.");
    },
  },
];

const distinctCounts = "Each granted change must return a different count.";

async function race(store: Store, change: CounterChange): Promise<readonly CounterState[]> {
  const states = await Promise.all(callers.map(() => store.increment([change])));
  return states.flat();
}

function grantedCounts(states: readonly CounterState[]): readonly number[] {
  return states.flatMap(({ granted, count }) => (granted ? [count] : [])).sort((left, right) => left - right);
}
