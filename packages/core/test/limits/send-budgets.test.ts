import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { giveBack } from "../../src/limits/budgets.ts";
import { loginLimitsShape } from "../../src/limits/login-limits.ts";
import { askTogether } from "../../src/limits/query.ts";
import { sendBudgetQuery } from "../../src/limits/send-budgets.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { createManualClock } from "../../src/testing.ts";

const daySeconds = 86_400;
const owner = { phoneFingerprint: "phone" };

/** A code to a number: when it is asked for, and whether it is sent. */
interface Asked {
  readonly afterSeconds: number;
  readonly isSent: boolean;
}

function setUp(given: object = {}, wrap: (store: Store) => Store = (store) => store) {
  const clock = createManualClock(Date.UTC(2026, 8, 21));
  const store = wrap(createMemoryStore({ clock }));
  const limits = { ...loginLimitsShape.parse(given), mode: "enforce" as const };
  const deps = { name: "app", limits, clock };
  return {
    clock,
    limits,
    /** Reserves a code, and gives it back unless it is sent. */
    async ask(isSent = true) {
      const [states] = await askTogether(store, [sendBudgetQuery(deps, owner, 1)]);
      if (states.refusal || !isSent) await giveBack(store, states.granted);
      return states.refusal;
    },
    async look() {
      const [states] = await askTogether(store, [sendBudgetQuery(deps, owner, 0)]);
      return states.refusal;
    },
  };
}

const seconds = fc.oneof(
  fc.integer({ min: 0, max: 70 }),
  fc.constantFrom(30, 60, 300, 1800, 3600, 4 * 3600, 6 * 3600 - 1, 6 * 3600, 20 * 3600, daySeconds - 1, daySeconds),
);
const codes = fc.array(fc.record({ afterSeconds: seconds, isSent: fc.boolean() }), { maxLength: 40 });
const limits = fc.constantFrom(
  { cooldownSeconds: 0, sendsPerPhone: 1000 },
  { cooldownSeconds: 0, sendsPerPhone: 2 },
  { cooldownSeconds: 600 },
  { sendsPerPhonePerDay: 3, sendWindowSeconds: 60 },
);

/** Returns the most codes that were sent within so many seconds, whenever they begin. */
function mostWithin(sentAt: readonly number[], withinSeconds: number): number {
  return Math.max(0, ...sentAt.map((from) => sentAt.filter((at) => at >= from && at < from + withinSeconds).length));
}

describe("the budgets of the codes to a number", () => {
  test("L33: allow no more codes than the limit of a day in any 24 hours, whenever they begin, and refuse none without reason", async () => {
    await fc.assert(
      fc.asyncProperty(codes, limits, async (asked: readonly Asked[], given) => {
        const setup = setUp(given);
        const sentAt: number[] = [];
        for (const { afterSeconds, isSent } of asked) {
          await setup.clock.advance(afterSeconds * 1000);
          const now = setup.clock.now() / 1000;
          const looked = await setup.look();
          const refusal = await setup.ask(isSent);
          expect(looked?.code).toBe(refusal?.code);
          if (!refusal && isSent) sentAt.push(now);
          const { sendsPerPhone, sendsPerPhonePerDay, sendWindowSeconds } = setup.limits;
          // Each part of a day has six hours, so codes count for thirty hours at most.
          const recent = sentAt.filter((at) => at > now - 30 * 3600).length;
          if (refusal?.code === "send_limit_reached" && recent < sendsPerPhonePerDay) {
            expect(mostWithin(sentAt, sendWindowSeconds)).toBeGreaterThanOrEqual(sendsPerPhone);
          }
        }
        expect(mostWithin(sentAt, daySeconds)).toBeLessThanOrEqual(setup.limits.sendsPerPhonePerDay);
      }),
      { numRuns: 500 },
    );
  });

  test("allow the next code when the time is over that a refusal has named, and not a second before", async () => {
    const { ask, clock } = setUp({ cooldownSeconds: 0, sendsPerPhone: 100 });
    for (let code = 0; code < 10; code++) {
      await clock.advance(1000_000);
      expect(await ask()).toBeUndefined();
    }
    const waitSeconds = (await ask())?.retryAfterSeconds ?? 0;
    expect(waitSeconds).toBeGreaterThan(20 * 3600);
    await clock.advance((waitSeconds - 1) * 1000);
    expect(await ask()).toMatchObject({ code: "send_limit_reached", retryAfterSeconds: 1 });
    await clock.advance(1000);
    expect(await ask()).toBeUndefined();
  });

  test("let one of fifty codes through that are asked for at once, as long as there is a pause", async () => {
    const { ask, clock } = setUp();
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask()));
      expect(answers.filter((refusal) => refusal === undefined)).toHaveLength(1);
      await clock.advance(300_000);
    }
  });

  test("L33: let no more codes through than a day has, if fifty are asked for at once in each part of it", async () => {
    const { ask, clock } = setUp({ cooldownSeconds: 0, sendsPerPhone: 4, sendWindowSeconds: 60 });
    const sent: number[] = [];
    for (let part = 0; part < 5; part++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask()));
      sent.push(answers.filter((refusal) => refusal === undefined).length);
      await clock.advance(6 * 3_600_000);
    }
    expect(sent.slice(0, 2)).toEqual([4, 4]);
    expect(sent.slice(2).every((codes) => codes <= 2)).toBe(true);
    expect(sent.reduce((sum, codes) => sum + codes, 0)).toBeLessThanOrEqual(10);
  });

  test("take a store that tells parts of a second", async () => {
    const { ask, clock } = setUp({}, (store) => ({
      ...store,
      async increment(changes) {
        const states = await store.increment(changes);
        return states.map((state) => ({ ...state, secondsLeft: Math.max(0, state.secondsLeft - 0.25) }));
      },
    }));
    await ask();
    await clock.advance(29_500);
    expect(await ask()).toMatchObject({ code: "cooldown", retryAfterSeconds: 1 });
    await clock.advance(1500);
    expect(await ask()).toBeUndefined();
  });
});
