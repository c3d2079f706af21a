import assert from "node:assert/strict";
import { freshKey, long, minute } from "./fresh-key.ts";
import { refuses } from "./refuses.ts";
import type { StoreCheck } from "./store-check.ts";

const noDurations = [0, -1, 0.5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300];
const noChanges = [0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER + 1];

/** What must not come to pass when an argument is none. */
export const refusalChecks: readonly StoreCheck[] = [
  {
    title: "refuses a lifetime or a lease that is no whole number of seconds above 0, and writes nothing",
    async check(store) {
      const [key, leased, counter, absent] = [freshKey(), freshKey(), freshKey(), freshKey()];
      await store.put(key, "value", minute);
      await store.lease(leased, "a", long);
      await store.increment([{ key: counter, by: 1, ...minute }]);
      for (const ttlSeconds of noDurations) {
        const wrong = { ttlSeconds };
        await refuses(() => store.put(key, "other", wrong));
        await refuses(() => store.put(key, undefined, wrong));
        await refuses(() => store.put(absent, "value", wrong));
        await refuses(() => store.increment([{ key: counter, by: 1, renew: true, ...wrong }]));
        await refuses(() => store.lease(absent, "a", { leaseSeconds: 60, ...wrong }));
        await refuses(() => store.lease(absent, "a", { leaseSeconds: ttlSeconds, ...minute }));
        await refuses(() => store.settle(leased, "a", "value", wrong));
        await refuses(() => store.settle(leased, "a", undefined, { hold: true, ...wrong }));
      }
      const values = await store.get([key, leased, absent]);
      assert.deepEqual(values, ["value", undefined, undefined], "A refused verb must write nothing.");
      const counted = await store.increment([{ key: counter, by: 0, ...minute }]);
      assert.equal(counted[0]?.count, 1, "A refused change must not be counted.");
      assert.equal((await store.lease(absent, "b", long)).held, true, "A refused lease must not be taken.");
      assert.equal(await store.settle(leased, "a", "value", minute), true, "A refused settle must leave the lease.");
    },
  },
  {
    title: "refuses to count by what is no whole number or up to what is no number, and changes nothing of the list",
    async check(store) {
      const [key, other] = [freshKey(), freshKey()];
      const right = { key, by: 1, ...minute };
      const wrong = noChanges.map((by) => ({ key: other, by, ...minute }));
      const lists = [...wrong, { ...right, key: other, limit: Number.NaN }, { ...right, key: other, ttlSeconds: 0 }];
      for (const change of lists) await refuses(() => store.increment([right, change, right]));
      const counters = await store.increment([key, other].map((name) => ({ key: name, by: 0, ...minute })));
      const counts = counters.map(({ count }) => count);
      assert.deepEqual(counts, [0, 0], "A list with a wrong change must not be counted in part.");
    },
  },
];
