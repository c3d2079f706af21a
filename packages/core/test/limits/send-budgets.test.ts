import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Budget, giveBack, lookedAt, refusalOf } from "../../src/limits/budgets.ts";
import { loginLimitsShape } from "../../src/limits/login-limits.ts";
import { askTogether } from "../../src/limits/query.ts";
import { reserveMissing, sendBudgetQuery, sendBudgets } from "../../src/limits/send-budgets.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { CounterChange, Store } from "../../src/store/store.ts";
import { createManualClock } from "../../src/testing.ts";

const daySeconds = 86_400;
const owner = { phoneFingerprint: "phone" };

/** A code to a number: when it is asked for, and whether it is sent. */
interface Asked {
  readonly afterSeconds: number;
  readonly isSent: boolean;
}

/** What the budgets answer to a code. */
interface Answer {
  readonly code: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** Reserves a code, and gives it back unless it is sent. */
type AskForCode = (isSent: boolean) => Promise<Answer>;

function setUp(limits: object = {}) {
  const clock = createManualClock(Date.UTC(2026, 8, 21));
  const inner = createMemoryStore({ clock });
  const written = new Set<string>();
  const store: Store = {
    ...inner,
    async increment(changes: readonly CounterChange[]) {
      const states = await inner.increment(changes);
      changes.forEach(({ key }, index) => {
        if (states[index]?.count) written.add(key);
        else written.delete(key);
      });
      return states;
    },
  };
  const checked = { ...loginLimitsShape.parse(limits), mode: "enforce" as const };
  const budgets = sendBudgets({ name: "app", limits: checked }, owner);
  return { clock, store, written, budgets };
}

/** As the kit does it. */
function askLazily({ store, budgets }: ReturnType<typeof setUp>): AskForCode {
  return async (isSent) => {
    const [first] = await askTogether(store, [sendBudgetQuery(budgets, 1)]);
    const [states = first] = first.refusal ? [first] : await reserveMissing(store, [first]);
    if (states.refusal || !isSent) await giveBack(store, states.granted);
    return { code: states.refusal?.code, retryAfterSeconds: states.refusal?.retryAfterSeconds };
  };
}

/**
 * The rule: each budget has a counter of its own from the first code on, and a later code waits for the end of a day that has ten
 * seconds left. A code that is refused leaves nothing.
 */
function askEach({ store, budgets: { ofDay, ofParts } }: ReturnType<typeof setUp>): AskForCode {
  const budgets: readonly Budget[] = [ofDay, ...ofParts];
  return async (isSent) => {
    const found = await store.increment(budgets.map((budget) => ({ ...budget, by: 0 })));
    const [day] = found;
    const states = found.map((state, index) => lookedAt(state, budgets[index]));
    const isEnding = day !== undefined && day.count > 0 && day.secondsLeft <= 10;
    const refusal = isEnding
      ? refusalOf([...budgets, { ...ofDay, refusal: "cooldown" }], [...states, { ...day, granted: false }])
      : refusalOf(budgets, states);
    if (!refusal) await store.increment(budgets);
    if (!refusal && !isSent) await giveBack(store, budgets);
    return { code: refusal?.code, retryAfterSeconds: refusal?.retryAfterSeconds };
  };
}

async function answersTo(
  asked: readonly Asked[],
  limits: object,
  createAsk: (setup: ReturnType<typeof setUp>) => AskForCode,
): Promise<readonly Answer[]> {
  const setup = setUp(limits);
  const ask = createAsk(setup);
  const answers: Answer[] = [];
  for (const { afterSeconds, isSent } of asked) {
    await setup.clock.advance(afterSeconds * 1000);
    answers.push(await ask(isSent));
  }
  return answers;
}

const seconds = fc.oneof(
  fc.integer({ min: 0, max: 70 }),
  fc.constantFrom(29, 30, 31, 60, 120, 300, 1800, 3599, 3600, 3601, daySeconds - 10, daySeconds),
);
const codes = fc.array(fc.record({ afterSeconds: seconds, isSent: fc.boolean() }), { maxLength: 25 });
const limits = fc.constantFrom(
  {},
  { cooldownSeconds: 0 },
  { cooldownSeconds: 600 },
  { cooldownSeconds: [300, 30], sendsPerPhone: 2 },
  { sendsPerPhone: 1, sendWindowSeconds: daySeconds },
  { sendsPerPhone: 0 },
  { sendsPerPhonePerDay: 3, sendWindowSeconds: 60 },
);

describe("the budgets of the codes to a number", () => {
  test("answer as if each had a counter of its own from the first code on", async () => {
    await fc.assert(
      fc.asyncProperty(codes, limits, async (asked, given) => {
        expect(await answersTo(asked, given, askLazily)).toEqual(await answersTo(asked, given, askEach));
      }),
      { numRuns: 500 },
    );
  });

  test("leave one entry after the first code of a day, and all of them after the second", async () => {
    const setup = setUp();
    const ask = askLazily(setup);
    await ask(true);
    expect([...setup.written]).toEqual(["app:d:phone"]);
    await setup.clock.advance(30_000);
    await ask(true);
    expect([...setup.written].toSorted()).toEqual(
      ["c1", "c2", "c3", "c4", "d", "s"].map((word) => `app:${word}:phone`),
    );
  });

  test("let one of fifty codes through that are asked for at once, as long as there is a pause", async () => {
    const setup = setUp();
    const ask = askLazily(setup);
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask(true)));
      expect(answers.filter(({ code }) => code === undefined)).toHaveLength(1);
      await setup.clock.advance(300_000);
    }
  });

  test("let no more codes through than the window has, if they are asked for at once and there is no pause", async () => {
    const setup = setUp({ cooldownSeconds: 0 });
    const ask = askLazily(setup);
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(true)));
    expect(answers.filter(({ code }) => code === undefined).length).toBeLessThanOrEqual(5);
    expect(answers.filter(({ code }) => code === undefined).length).toBeGreaterThan(0);
  });

  test("count the first code once, however many codes are asked for at once after it", async () => {
    const setup = setUp();
    const ask = askLazily(setup);
    await ask(true);
    await setup.clock.advance(30_000);
    await Promise.all(Array.from({ length: 8 }, () => ask(true)));
    const found = await setup.store.increment(
      ["d", "s", "c2", "c3", "c4"].map((word) => ({ key: `app:${word}:phone`, by: 0, ttlSeconds: 1 })),
    );
    expect(found.map(({ count }) => count)).toEqual([2, 2, 2, 2, 2]);
  });

  test("let a code through also if the store fails at giving the first one back that was counted twice", async () => {
    const setup = setUp({ cooldownSeconds: 0 });
    const increment: Store["increment"] = async (changes) => {
      if (changes.some(({ by }) => by < 0)) throw new Error("The store is away.");
      return setup.store.increment(changes);
    };
    const ask = askLazily({ ...setup, store: { ...setup.store, increment } });
    await ask(true);
    const answers = await Promise.all([ask(true), ask(true)]);
    expect(answers.map(({ code }) => code)).toEqual([undefined, undefined]);
  });

  test("take a store that tells parts of a second", async () => {
    const setup = setUp();
    const { increment } = setup.store;
    const store: Store = {
      ...setup.store,
      async increment(changes) {
        const states = await increment(changes);
        return states.map((state) => ({ ...state, secondsLeft: Math.max(0, state.secondsLeft - 0.25) }));
      },
    };
    const ask = askLazily({ ...setup, store });
    await ask(true);
    await setup.clock.advance(29_500);
    expect(await ask(true)).toEqual({ code: "cooldown", retryAfterSeconds: 1 });
    await setup.clock.advance(1500);
    expect(await ask(true)).toEqual({ code: undefined, retryAfterSeconds: undefined });
  });

  test("let one code through when the day of the first one ends between the two trips of another", async () => {
    const setup = setUp();
    const { clock, store, budgets } = setup;
    const ask = askLazily(setup);
    await ask(true);
    await clock.advance(daySeconds * 1000 - 1);
    const [before] = await askTogether(store, [sendBudgetQuery(budgets, 1)]);
    await clock.advance(1);
    const after = await ask(true);
    const [late = before] = before.refusal ? [before] : await reserveMissing(store, [before]);
    expect([after.code, late.refusal?.code, late.refusal?.retryAfterSeconds]).toEqual([undefined, "cooldown", 1]);
  });
});
