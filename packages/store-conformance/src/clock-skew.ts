import assert from "node:assert/strict";
import { freshKey, longLease, minute } from "./fresh-key.ts";
import type { ClockSkewTools, StoreCheck } from "./store-check.ts";

const hour = 3_600_000;
const clocks = [hour, 0, -hour];

/** Each pair of a first app and a second one, by the milliseconds that their clocks are ahead. */
const clockPairs = clocks.flatMap((first) => clocks.map((second) => ({ first, second })));

/** The checks that lifetimes, windows and leases run on the store's clock, even if apps' clocks are an hour wrong. */
export const clockSkewChecks: readonly StoreCheck<ClockSkewTools>[] = [
  {
    title: "keeps a value for its lifetime, even if the clocks of writer and reader are wrong",
    async check(store, tools) {
      const cases = clockPairs.map((clockPair) => ({ ...clockPair, lasting: freshKey(), brief: freshKey() }));
      for (const { first, lasting, brief } of cases) {
        await withSkew(tools, first, () => store.put(lasting, "value", minute));
        await withSkew(tools, first, () => store.put(brief, "value", { ttlSeconds: 1 }));
      }
      await tools.advance(1000);
      for (const { second, lasting, brief } of cases) {
        const values = await withSkew(tools, second, () => store.get([lasting, brief]));
        assert.deepEqual(values, ["value", undefined], "A value must expire after its ttlSeconds, and not before.");
      }
    },
  },
  {
    title: "keeps the length of a window, even if the clocks of the counting apps are wrong",
    async check(store, tools) {
      const cases = clockPairs.map((clockPair) => ({ ...clockPair, lasting: freshKey(), brief: freshKey() }));
      const addOne = (key: string, ttlSeconds: number) => () => store.increment([{ key, by: 1, limit: 2, ttlSeconds }]);
      for (const { first, second, lasting, brief } of cases) {
        await withSkew(tools, first, addOne(lasting, 60));
        await withSkew(tools, first, addOne(brief, 1));
        const [counter] = await withSkew(tools, second, addOne(lasting, 60));
        assert.equal(counter?.count, 2, "All apps must change the same counter.");
        const { secondsLeft } = counter;
        assert.ok(secondsLeft > 50 && secondsLeft <= 60, "secondsLeft must be the time left on the store's clock.");
      }
      await tools.advance(1000);
      for (const { second, lasting, brief } of cases) {
        const [restarted] = await withSkew(tools, second, addOne(brief, 1));
        assert.equal(restarted?.count, 1, "A window must end after its ttlSeconds.");
        const [full] = await withSkew(tools, second, addOne(lasting, 60));
        assert.equal(full?.granted, false, "A window must not end before its ttlSeconds.");
      }
    },
  },
  {
    title: "leases to one holder for the length of the lease, even if the clocks of the apps are wrong",
    async check(store, tools) {
      const cases = clockPairs.map((clockPair) => ({ ...clockPair, lasting: freshKey(), brief: freshKey() }));
      const shortLease = { leaseSeconds: 1, ttlSeconds: 60 };
      for (const { first, lasting, brief } of cases) {
        await withSkew(tools, first, () => store.lease(lasting, "a", longLease));
        await withSkew(tools, first, () => store.lease(brief, "a", shortLease));
      }
      await tools.advance(1000);
      for (const { first, second, lasting, brief } of cases) {
        const early = await withSkew(tools, second, () => store.lease(lasting, "b", longLease));
        assert.equal(early.held, false, "A lease must last for its leaseSeconds.");
        const next = await withSkew(tools, second, () => store.lease(brief, "b", longLease));
        assert.equal(next.held, true, "Another token must get a lease that ran out.");
        const settled = await withSkew(tools, first, () => store.settle(brief, "a", "late", minute));
        assert.equal(settled, false, "A successor must fence out its predecessor.");
      }
    },
  },
];

/** Runs a task while the app's clock is wrong, and corrects the clock afterwards. */
async function withSkew<Result>(
  { skewApp }: ClockSkewTools,
  milliseconds: number,
  task: () => Promise<Result>,
): Promise<Result> {
  await skewApp(milliseconds);
  try {
    return await task();
  } finally {
    await skewApp(0);
  }
}
