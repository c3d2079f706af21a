import { createMemoryStore, type LimitsDescription, type LoginLimits } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countConfirmed } from "../../src/limits/after-sending.ts";
import { addressFailureBudgets, failureBudgets } from "../../src/limits/counter-table.ts";
import { createCounters, emptied, reserve } from "../../src/limits/counters.ts";
import { codeLengthAfter, loginLimitsShape } from "../../src/limits/login-limits.ts";
import { createOperatorLimits } from "../../src/limits/operator-limits.ts";
import { giveBackCode, reserveCode } from "../../src/limits/send-limits.ts";

const limits: LoginLimits = { ...loginLimitsShape.parse({}), mode: "enforce" };
const keys = { fingerprint: (text: string) => text };
const usualDigits = 6;
const daySeconds = 86_400;

/** A login that an attacker has started. */
interface OpenLogin {
  readonly phone: string;
  readonly address: string;
  readonly codeLength: number | undefined;
  attemptsLeft: number;
}

/** Attackers against the running limits, without the rest of the kit. They pay for every text, and wait for nothing in vain. */
function setUp({ lengthensCodes }: { readonly lengthensCodes: boolean }) {
  const clock = createManualClock(Date.UTC(2026, 8, 24));
  const store = createMemoryStore({ clock });
  const deps = { name: "app", store, counters: createCounters({ store, clock }), clock, keys, limits };
  const result = { expectedSuccesses: 0, guesses: 0 };

  async function start(phone: string, address: string): Promise<OpenLogin | { readonly retryAfterSeconds: number }> {
    const reserved = await reserveCode(deps, { phone, country: "DE", client: { address, network: `${address}/24` } });
    if (reserved.refused) {
      await giveBackCode(deps, reserved);
      return { retryAfterSeconds: reserved.refused.error.retryAfterSeconds ?? daySeconds };
    }
    const codeLength = lengthensCodes ? codeLengthAfter(limits, reserved.failures, usualDigits) : undefined;
    return { phone, address, codeLength, attemptsLeft: limits.attemptsPerTransaction };
  }

  /** Tries codes until one is refused. Returns whether the login is used up. */
  async function guess(login: OpenLogin): Promise<boolean> {
    const { phone, address, codeLength } = login;
    const budgets = failureBudgets(deps, { phoneFingerprint: phone }, codeLength);
    while (login.attemptsLeft > 0) {
      const refusal = await reserve(store, [...budgets, ...addressFailureBudgets(deps, address)]).catch(
        (error) => error,
      );
      if (refusal) return refusal.code !== "too_many_failures";
      login.attemptsLeft--;
      result.guesses++;
      result.expectedSuccesses += 10 ** -(codeLength ?? usualDigits);
    }
    return true;
  }

  return {
    clock,
    result,
    start,
    guess,
    /** The owner of a number logs in on a new device. */
    async ownerLogsIn(phone: string) {
      await store.increment(failureBudgets(deps, { phoneFingerprint: phone }).map(emptied));
    },
    /** The numbers log in, a day ago or longer. */
    async areKnown(phones: readonly string[]) {
      for (const phone of phones) {
        const client = { address: `of${phone}`, network: `of${phone}` };
        const reserved = await reserveCode(deps, { phone, country: "DE", client });
        if (!reserved.refused) await countConfirmed(deps, phone, reserved.facts, { deviceDigest: "device" });
      }
      await clock.advance(2 * daySeconds * 1000);
    },
    describe: (mode: LoginLimits["mode"] = "enforce") =>
      createOperatorLimits({
        ...deps,
        limits: { ...limits, mode },
        minDigits: usualDigits,
        lengthensCodes,
      }).describe() satisfies LimitsDescription,
  };
}

const owners = [
  { owner: "the service", lengthensCodes: false },
  { owner: "the app", lengthensCodes: true },
];

describe.each(owners)("guessing, codes of $owner", ({ lengthensCodes }) => {
  test("L4: one number falls with a chance of at most 1 % a year, however logins are started and held open", async () => {
    const strategy = fc.record({
      // How many logins are started before a code is tried.
      held: fc.integer({ min: 1, max: 6 }),
      pauseSeconds: fc.constantFrom(0, 60, 600, 3600),
    });
    const weeks = 4;
    let best = 0;
    await fc.assert(
      fc.asyncProperty(strategy, async ({ held, pauseSeconds }) => {
        const attack = setUp({ lengthensCodes });
        const { clock, result, start, guess, ownerLogsIn } = attack;
        const phone = "+4915123456789";
        await attack.areKnown([phone]);
        const endsAt = clock.now() + weeks * 7 * daySeconds * 1000;
        let [starts, ownerAt] = [0, 0];
        let open: OpenLogin[] = [];
        while (clock.now() < endsAt) {
          if (clock.now() >= ownerAt) {
            await ownerLogsIn(phone);
            ownerAt = clock.now() + 7 * daySeconds * 1000;
          }
          const started = await start(phone, `address-${starts++ % 1000}`);
          if ("attemptsLeft" in started) open.push(started);
          else await clock.advance(started.retryAfterSeconds * 1000);
          if (open.length < held) continue;
          const left: OpenLogin[] = [];
          for (const login of open) if (!(await guess(login))) left.push(login);
          // Those that wait for the gate of ten minutes have as long as a code lives.
          if (left.length > 0) await clock.advance(599_000);
          for (const login of left) await guess(login);
          open = [];
          await clock.advance(pauseSeconds * 1000);
        }
        const { ofYear } = attack.describe().guessing;
        const chance = result.expectedSuccesses * (52 / weeks);
        expect(chance).toBeLessThanOrEqual(ofYear);
        expect(ofYear).toBeLessThan(0.01);
        best = Math.max(best, chance / ofYear);
      }),
      { numRuns: 24, examples: [[{ held: 1, pauseSeconds: 0 }]] },
    );
    // The bound is no exaggeration.
    expect(best).toBeGreaterThan(0.75);
  });

  test("the description has no odds of an address that is only observed", () => {
    const { guessing } = setUp({ lengthensCodes }).describe({ address: "observe" });
    expect(guessing.ofAddressPerDay).toBeUndefined();
  });

  test("the description has the odds", () => {
    const { ofLogin, ofDay, ofYear, untilClosed, ofAddressPerDay } = setUp({ lengthensCodes }).describe().guessing;
    expect(ofLogin).toBeCloseTo(5e-6, 9);
    expect(ofAddressPerDay).toBeCloseTo(100e-6, 9);
    if (lengthensCodes) {
      // 25 codes of six digits, 40 of eight, and the others of ten.
      expect(ofDay).toBeCloseTo(25e-6 + 25e-8, 9);
      expect(ofYear).toBeCloseTo((365 / 7) * (25e-6 + 40e-8 + 285e-10), 7);
      expect(untilClosed).toBeUndefined();
    } else {
      expect(ofDay).toBeCloseTo(50e-6, 9);
      expect(ofYear).toBeCloseTo((365 / 7) * 100e-6, 7);
      expect(untilClosed).toBeCloseTo(100e-6, 9);
    }
  });
});
