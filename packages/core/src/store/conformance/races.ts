import assert from "node:assert/strict";
import type { CounterChange, CounterState, Store } from "../store.ts";
import { freshKey, long, minute } from "./fresh-key.ts";
import type { StoreCheck } from "./store-check.ts";

const runners: readonly string[] = Array.from({ length: 200 }, (_, index) => `runner ${index}`);
const numbers = runners.map((_, index) => index + 1);

/** What stays true when two hundred come at once. */
export const raceChecks: readonly StoreCheck[] = [
  {
    title: "grants exactly the limit when two hundred increments race",
    async check(store) {
      const key = freshKey();
      assert.deepEqual(grantedCounts(await race(store, { key, by: 1, limit: 5, ...minute })), [1, 2, 3, 4, 5], told);
      assert.equal(await countOf(store, key), 5, "A refused change must not be counted.");
    },
  },
  {
    title: "loses no increment when two hundred race without a limit, and takes back as many",
    async check(store) {
      const key = freshKey();
      assert.deepEqual(grantedCounts(await race(store, { key, by: 1, ...minute })), numbers, told);
      const back = grantedCounts(await race(store, { key, by: -1, ...minute }));
      assert.deepEqual(
        back.map((count) => count + 1),
        numbers,
        told,
      );
      assert.equal(await countOf(store, key), 0, "What was taken back must be gone.");
    },
  },
  {
    title: "begins a window anew once when two hundred find it over",
    async check(store, { advance }) {
      const key = freshKey();
      await store.increment([{ key, by: 3, ttlSeconds: 1 }]);
      await advance(1000);
      assert.deepEqual(grantedCounts(await race(store, { key, by: 1, limit: 5, ...minute })), [1, 2, 3, 4, 5], told);
      assert.equal(await countOf(store, key), 5, "A window must begin anew once.");
    },
  },
  {
    title: "loses no increment of lists that race with their keys in opposite order",
    async check(store) {
      const keys = [freshKey(), freshKey(), freshKey()];
      const forth = keys.map((key) => ({ key, by: 1, ...minute }));
      const back = forth.toReversed();
      await Promise.all(runners.map((_, index) => store.increment(index % 2 === 0 ? forth : back)));
      const counts = await Promise.all(keys.map((key) => countOf(store, key)));
      assert.deepEqual(
        counts,
        keys.map(() => runners.length),
        "Every increment must be counted once.",
      );
    },
  },
  {
    title: "keeps one of two hundred values whole when they are put at once",
    async check(store) {
      const key = freshKey();
      const values = runners.map((runner) => runner.repeat(500));
      const seen = await Promise.all(
        values.flatMap((value) => [store.put(key, value, minute).then(() => []), store.get([key])]),
      );
      const [stands] = await store.get([key]);
      assert.ok(stands !== undefined && values.includes(stands), "One of the values must stand, and whole.");
      const torn = seen.flat().filter((value) => value !== undefined && !values.includes(value));
      assert.equal(torn.length, 0, "Nobody must read a value that nobody put.");
    },
  },
  {
    title: "ends a lease once when two hundred put and settle at once",
    async check(store) {
      const key = freshKey();
      await store.lease(key, "a", long);
      const isPut = (index: number) => index % 4 === 3;
      const settled = await Promise.all(
        runners.map((value, index) =>
          isPut(index) ? store.put(key, value, minute).then(() => false) : store.settle(key, "a", value, minute),
        ),
      );
      assert.ok(settled.filter(Boolean).length <= 1, "A lease must settle at most once.");
      const [stands] = await store.get([key]);
      const written = runners.filter((_, index) => isPut(index) || settled[index]);
      assert.ok(stands !== undefined && written.includes(stands), "What stands must have been put or settled.");
      assert.equal(await store.settle(key, "a", "late", minute), false, "Nobody must hold the key any more.");
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
      await store.put(key, "value", minute);
      await store.lease(key, "gone", { leaseSeconds: 1, ttlSeconds: 60 });
      await advance(1000);
      const leases = await Promise.all(runners.map((token) => store.lease(key, token, long)));
      assert.equal(leases.filter(({ held }) => held).length, 1, "Exactly one must take over.");
      assert.ok(
        leases.every(({ value }) => value === "value"),
        "Each must be shown the value.",
      );
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

const told = "Each that is granted must be told a count of its own.";

async function race(store: Store, change: CounterChange): Promise<readonly CounterState[]> {
  const answers = await Promise.all(runners.map(() => store.increment([change])));
  return answers.flat();
}

function grantedCounts(answers: readonly CounterState[]): readonly number[] {
  return answers.flatMap(({ granted, count }) => (granted ? [count] : [])).sort((left, right) => left - right);
}

async function countOf(store: Store, key: string): Promise<number | undefined> {
  const [counter] = await store.increment([{ key, by: 0, ...minute }]);
  return counter?.count;
}
