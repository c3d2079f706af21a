import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sendCounters } from "../../src/limits/counter-table.ts";
import { answersOf, giveBack } from "../../src/limits/counters.ts";
import { decide } from "../../src/limits/decide.ts";
import { loginLimitsShape } from "../../src/limits/login-limits.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { createManualClock } from "../../src/testing.ts";

const daySeconds = 86_400;
const phoneFingerprint = "phone";
/** A code that only the budgets of its number decide about. */
const ofApp = { asksApp: false, isTrusted: false } as const;
const code = { ...ofApp, phoneFingerprint, country: "DE", address: "", network: "", groups: [], added: 0 } as const;

/** A code to a number: when it is asked for, and whether it is sent. */
interface Asked {
  readonly afterSeconds: number;
  readonly isSent: boolean;
}

function setUp(given: object = {}, wrap: (store: Store) => Store = (store) => store) {
  const clock = createManualClock(Date.UTC(2026, 8, 21));
  const store = wrap(createMemoryStore({ clock }));
  const limits = { ...loginLimitsShape.parse(given), mode: "enforce" as const };

  async function judge(by: 0 | 1) {
    const now = clock.now();
    const counters = sendCounters({ name: "app", limits }, { phoneFingerprint }, now, by);
    const answers = answersOf(counters, await store.increment(counters));
    return decide(limits, { ...code, now, by }, answers);
  }
  return {
    clock,
    limits,
    /** Reserves a code, and gives it back unless it is sent. */
    async ask(isSent = true) {
      const { refused, granted } = await judge(1);
      if (refused || !isSent) await giveBack(store, granted);
      return refused?.error;
    },
    async look() {
      return (await judge(0)).refused?.error;
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
          // A code counts for a day after the last code that was asked for in its six hours.
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

  test("L33: let no more codes through than a day has, if fifty are asked for at once in each part of it", async () => {
    const { ask, clock } = setUp({ cooldownSeconds: 0, sendsPerPhone: 4, sendWindowSeconds: 60 });
    const sent: number[] = [];
    for (let part = 0; part < 5; part++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask()));
      sent.push(answers.filter((refusal) => refusal === undefined).length);
      await clock.advance(6 * 3_600_000);
    }
    // When the fifth part begins, the codes of the first one are a day old.
    expect(sent).toEqual([4, 4, 2, 0, 4]);
  });

  test("let each code wait for its pause after the code before it, not after the first one", async () => {
    const { ask, clock } = setUp({ cooldownSeconds: [30, 60] });
    expect(await ask()).toBeUndefined();
    await clock.advance(30_000);
    expect(await ask()).toBeUndefined();
    await clock.advance(59_000);
    expect(await ask()).toMatchObject({ code: "cooldown", retryAfterSeconds: 1 });
    await clock.advance(1000);
    expect(await ask()).toBeUndefined();
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
