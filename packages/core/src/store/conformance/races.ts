import assert from "node:assert/strict";
import { freshKey, minute } from "./fresh-key.ts";
import type { StoreCheck } from "./store-check.ts";

const runners: readonly string[] = Array.from({ length: 200 }, (_, index) => `runner ${index}`);
const long = { leaseSeconds: 60, ttlSeconds: 60 } as const;

/** What stays true when two hundred come at once. */
export const raceChecks: readonly StoreCheck[] = [
  {
    title: "grants exactly the limit when two hundred increments race",
    async check(store) {
      const key = freshKey();
      const answers = await Promise.all(runners.map(() => store.increment([{ key, by: 1, limit: 5, ...minute }])));
      const counts = answers.flat().flatMap(({ granted, count }) => (granted ? [count] : []));
      assert.deepEqual(counts.sort(), [1, 2, 3, 4, 5], "Each of the five granted must be told a count of its own.");
      const [after] = await store.increment([{ key, by: 0, ...minute }]);
      assert.equal(after?.count, 5, "A refused change must not be counted.");
    },
  },
  {
    title: "loses no increment of lists that race with their keys in opposite order",
    async check(store) {
      const keys = [freshKey(), freshKey(), freshKey()];
      const forth = keys.map((key) => ({ key, by: 1, ...minute }));
      const back = forth.toReversed();
      await Promise.all(runners.map((_, index) => store.increment(index % 2 === 0 ? forth : back)));
      const counters = await store.increment(keys.map((key) => ({ key, by: 0, ...minute })));
      const counts = counters.map(({ count }) => count);
      assert.deepEqual(
        counts,
        keys.map(() => runners.length),
        "Every increment must be counted once.",
      );
    },
  },
  {
    title: "leases an absent key to exactly one of two hundred, and settles for that one only",
    async check(store) {
      const key = freshKey();
      const leases = await Promise.all(runners.map((token) => store.lease(key, token, long)));
      const holders = runners.filter((_, index) => leases[index]?.held);
      assert.equal(holders.length, 1, "Exactly one must hold the key.");
      const settled = await Promise.all(runners.map((token) => store.settle(key, token, token, minute)));
      const winners = runners.filter((_, index) => settled[index]);
      assert.deepEqual(winners, holders, "Only the holder must settle.");
      assert.deepEqual(await store.get([key]), holders, "What the holder wrote must stand.");
    },
  },
  {
    title: "hands a key whose lease ran out to exactly one of two hundred",
    async check(store, { advance }) {
      const key = freshKey();
      await store.lease(key, "gone", { leaseSeconds: 1, ttlSeconds: 60 });
      await advance(1000);
      const leases = await Promise.all(runners.map((token) => store.lease(key, token, long)));
      assert.equal(leases.filter(({ held }) => held).length, 1, "Exactly one must take over.");
    },
  },
  {
    title: "settles one lease once when two hundred settle it",
    async check(store) {
      const key = freshKey();
      await store.lease(key, "a", long);
      const settled = await Promise.all(runners.map((value) => store.settle(key, "a", value, minute)));
      const written = runners.filter((_, index) => settled[index]);
      assert.equal(written.length, 1, "Exactly one must be told that it settled.");
      assert.deepEqual(await store.get([key]), written, "The value must be that of the one.");
    },
  },
];
