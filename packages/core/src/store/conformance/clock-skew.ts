import assert from "node:assert/strict";
import { freshKey, long, minute } from "./fresh-key.ts";
import type { ClockSkewTools, StoreCheck } from "./store-check.ts";

const hour = 3_600_000;
const clocks = [hour, 0, -hour];

/** Those who may meet at one store: who writes, and who comes after. Milliseconds ahead of the right time. */
const meetings = clocks.flatMap((first) => clocks.map((second) => ({ first, second })));

/** What stays true when the clocks of apps are an hour ahead or behind: whatever runs, runs on the clock of the store. */
export const clockSkewChecks: readonly StoreCheck<ClockSkewTools>[] = [
  {
    title: "keeps values for their lifetime, whatever the clocks of who writes and who reads say",
    async check(store, tools) {
      const met = meetings.map((meeting) => ({ ...meeting, lasting: freshKey(), brief: freshKey() }));
      for (const { first, lasting, brief } of met) {
        await inApp(tools, first, () => store.put(lasting, "value", minute));
        await inApp(tools, first, () => store.put(brief, "value", { ttlSeconds: 1 }));
      }
      await tools.advance(1000);
      for (const { second, lasting, brief } of met) {
        const values = await inApp(tools, second, () => store.get([lasting, brief]));
        assert.deepEqual(values, ["value", undefined], "A value must live for its ttlSeconds, and no longer.");
      }
    },
  },
  {
    title: "counts in windows of the same length, whatever the clocks of who counts say",
    async check(store, tools) {
      const met = meetings.map((meeting) => ({ ...meeting, lasting: freshKey(), brief: freshKey() }));
      const once = (key: string, ttlSeconds: number) => () => store.increment([{ key, by: 1, limit: 2, ttlSeconds }]);
      for (const { first, second, lasting, brief } of met) {
        await inApp(tools, first, once(lasting, 60));
        await inApp(tools, first, once(brief, 1));
        const [counter] = await inApp(tools, second, once(lasting, 60));
        assert.equal(counter?.count, 2, "A counter must count for all.");
        const { secondsLeft } = counter;
        assert.ok(secondsLeft > 50 && secondsLeft <= 60, "secondsLeft must be what is left on the clock of the store.");
      }
      await tools.advance(1000);
      for (const { second, lasting, brief } of met) {
        const [over] = await inApp(tools, second, once(brief, 1));
        assert.equal(over?.count, 1, "A window must be over after its ttlSeconds.");
        const [full] = await inApp(tools, second, once(lasting, 60));
        assert.equal(full?.granted, false, "A window must not be over before its ttlSeconds.");
      }
    },
  },
  {
    title: "leases to one holder for the length of the lease, whatever the clocks of those who ask say",
    async check(store, tools) {
      const met = meetings.map((meeting) => ({ ...meeting, lasting: freshKey(), brief: freshKey() }));
      const aSecond = { leaseSeconds: 1, ttlSeconds: 60 };
      for (const { first, lasting, brief } of met) {
        await inApp(tools, first, () => store.lease(lasting, "a", long));
        await inApp(tools, first, () => store.lease(brief, "a", aSecond));
      }
      await tools.advance(1000);
      for (const { first, second, lasting, brief } of met) {
        const early = await inApp(tools, second, () => store.lease(lasting, "b", long));
        assert.equal(early.held, false, "A lease must last for its leaseSeconds.");
        const next = await inApp(tools, second, () => store.lease(brief, "b", long));
        assert.equal(next.held, true, "A lease that ran out must be handed on.");
        const settled = await inApp(tools, first, () => store.settle(brief, "a", "late", minute));
        assert.equal(settled, false, "A follower must fence out its predecessor.");
      }
    },
  },
];

/** Lets an app act whose clock is wrong, and sets it right again. */
async function inApp<Answer>(
  { skewApp }: ClockSkewTools,
  milliseconds: number,
  act: () => Promise<Answer>,
): Promise<Answer> {
  await skewApp(milliseconds);
  try {
    return await act();
  } finally {
    await skewApp(0);
  }
}
