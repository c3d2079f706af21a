import assert from "node:assert/strict";
import { assertRefused } from "./assert-refused.ts";
import { freshKey, longLease, minute } from "./fresh-key.ts";
import type { StoreCheck } from "./store-check.ts";

const invalidDurations = [0, -1, 0.5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300];
const invalidAmounts = [0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER + 1];

/** The checks that wrong arguments reject and change nothing. */
export const refusalChecks: readonly StoreCheck[] = [
  {
    title: "rejects a lifetime or lease that is not a whole number of seconds above 0, and writes nothing",
    async check(store) {
      const [key, leased, counter, absent] = [freshKey(), freshKey(), freshKey(), freshKey()];
      await store.put(key, "value", minute);
      await store.lease(leased, "a", longLease);
      await store.increment([{ key: counter, by: 1, ...minute }]);
      for (const ttlSeconds of invalidDurations) {
        const wrong = { ttlSeconds };
        await assertRefused(() => store.put(key, "other", wrong));
        await assertRefused(() => store.put(key, undefined, wrong));
        await assertRefused(() => store.put(absent, "value", wrong));
        await assertRefused(() => store.increment([{ key: counter, by: 1, renew: true, ...wrong }]));
        await assertRefused(() => store.lease(absent, "a", { leaseSeconds: 60, ...wrong }));
        await assertRefused(() => store.lease(absent, "a", { leaseSeconds: ttlSeconds, ...minute }));
        await assertRefused(() => store.settle(leased, "a", "value", wrong));
        await assertRefused(() => store.settle(leased, "a", undefined, { hold: true, ...wrong }));
      }
      const values = await store.get([key, leased, absent]);
      assert.deepEqual(values, ["value", undefined, undefined], "A rejected call must write nothing.");
      const counted = await store.increment([{ key: counter, by: 0, ...minute }]);
      assert.equal(counted[0]?.count, 1, "A rejected change must not be counted.");
      assert.equal((await store.lease(absent, "b", longLease)).held, true, "A rejected lease must not be taken.");
      assert.equal(await store.settle(leased, "a", "value", minute), true, "A rejected settle must not end the lease.");
    },
  },
  {
    title: "rejects a list with a wrong amount, limit or lifetime, and changes no counter",
    async check(store) {
      const [key, other] = [freshKey(), freshKey()];
      const right = { key, by: 1, ...minute };
      const wrong = invalidAmounts.map((by) => ({ key: other, by, ...minute }));
      const lists = [...wrong, { ...right, key: other, limit: Number.NaN }, { ...right, key: other, ttlSeconds: 0 }];
      for (const change of lists) await assertRefused(() => store.increment([right, change, right]));
      const counters = await store.increment([key, other].map((name) => ({ key: name, by: 0, ...minute })));
      const counts = counters.map(({ count }) => count);
      assert.deepEqual(counts, [0, 0], "A list with a wrong change must change no counter.");
    },
  },
];
