import { createMemoryStore, type LoginLimits } from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import { type Counter, createCounters } from "../../src/limits/counters.ts";
import { loginLimitsShape } from "../../src/limits/login-limits.ts";
import { createOperatorLimits } from "../../src/limits/operator-limits.ts";
import { giveBackCode, reserveCode } from "../../src/limits/send-limits.ts";
import { unknownClient } from "../../src/util/client.ts";

const defaults: LoginLimits = { ...loginLimitsShape.parse({}), cooldownSeconds: [], mode: "enforce" };
const prices = { DE: 0.08, other: 0.5 };

/** An app of several processes over one store. */
function setUp(changes: Partial<LoginLimits>, processes = 1, hour = 23) {
  // Ten minutes before the next hour, and before the next day too if it is the last one.
  const clock = createManualClock(Date.UTC(2026, 8, 24, hour, 50));
  const store = createMemoryStore({ clock });
  const keys = { fingerprint: (text: string) => text };
  const ofProcess = () => ({ name: "app", store, counters: createCounters({ store, clock }), clock, keys });
  const limits = { ...defaults, ...changes };
  const first = { ...ofProcess(), limits };
  const all = [first, ...Array.from({ length: processes - 1 }, () => ({ ...ofProcess(), limits }))];
  let asked = 0;

  /** Asks for a code in each process in turn, for people who have nothing in common. */
  function ask(country = "DE") {
    const index = asked++;
    const client = { address: `address-${index}`, network: `network-${index}` };
    return reserveCode(all[index % processes] ?? first, { phone: `+49${1000 + index}000001`, country, client });
  }

  async function outcome(country?: string) {
    const reserved = await ask(country);
    if (!reserved.refused) return "sent";
    await giveBackCode(first, reserved);
    return reserved.refused.error.code;
  }

  const operator = createOperatorLimits({ ...first, minDigits: 6, lengthensCodes: false });
  return { clock, ask, outcome, operator, deps: first };
}

async function countSent(times: number, outcome: () => Promise<string>): Promise<number> {
  const outcomes = await Promise.all(Array.from({ length: times }, outcome));
  return outcomes.filter((sent) => sent === "sent").length;
}

describe("a ceiling of the app", () => {
  test.each([
    { ceiling: { sendsPerHour: 30 }, sent: 30, refusal: "hourly_ceiling_reached", seconds: 600 },
    { ceiling: { sendsPerDay: 30 }, sent: 30, refusal: "daily_ceiling_reached", seconds: 600 },
    { ceiling: { costPerDay: 2.5, prices }, sent: 31, refusal: "cost_ceiling_reached", seconds: 600 },
  ])("lets $sent codes through with $ceiling, and the same again in the next period", async (given) => {
    const { clock, ask, outcome } = setUp({ ...given.ceiling, mode: "observe" });
    expect(await countSent(100, outcome)).toBe(given.sent);
    const { refused, event } = await ask();
    const { code, retryAfterSeconds } = refused?.error ?? {};
    expect([code, retryAfterSeconds, refused?.group]).toEqual([given.refusal, given.seconds, undefined]);
    expect(event).toMatchObject({ outcome: "refused", limit: refused?.limit.limit });
    await clock.advance(600_000);
    expect(await countSent(100, outcome)).toBe(given.sent);
  });

  test("is never passed by many processes that ask at once, and all but a hundredth for each of them is used", async () => {
    const { outcome } = setUp({ sendsPerDay: 1000, mode: "observe" }, 4);
    const sent = await countSent(1500, outcome);
    expect(sent).toBeLessThanOrEqual(1000);
    expect(sent).toBeGreaterThan(960);
  });

  test("is not taken whole by one process in which many ask at once", async () => {
    const { deps, outcome } = setUp({ sendsPerDay: 1000, mode: "observe" }, 2);
    const client = { address: "one", network: "one" };
    const burst = Array.from({ length: 100 }, () =>
      reserveCode(deps, { phone: "+4915123456789", country: "DE", client }),
    );
    await Promise.all(burst);
    expect(await countSent(800, outcome)).toBeGreaterThan(780);
  });

  test("is left to the other processes after a burst of codes that another limit refuses", async () => {
    const { deps, outcome } = setUp({ sendsPerDay: 100, cooldownSeconds: [30] }, 2);
    const client = { address: "one", network: "one" };
    const burst = Array.from({ length: 150 }, async () => {
      const code = await reserveCode(deps, { phone: "+4915123456789", country: "DE", client });
      if (code.refused) await giveBackCode(deps, code);
    });
    await Promise.all(burst);
    expect(await countSent(110, outcome)).toBeGreaterThan(95);
  });

  test("L25: loses one code for each answer of the store that is lost, and not a hundredth", async () => {
    const { clock, deps, outcome, operator } = setUp({ sendsPerDay: 1000, mode: "observe" }, 1, 3);
    expect(await outcome()).toBe("sent");
    await clock.advance(5000);
    const lossy: Store = {
      ...deps.store,
      async increment(changes) {
        const states = await deps.store.increment(changes);
        if (changes.some(({ by }) => by > 0)) throw new Error("The answer is lost.");
        return states;
      },
    };
    const ofOutage = { ...deps, counters: createCounters({ store: lossy, clock }) };
    for (let index = 0; index < 100; index++) {
      const phone = `+49${2000 + index}000001`;
      const client = { address: phone, network: phone };
      await expect(reserveCode(ofOutage, { phone, country: "DE", client })).rejects.toThrow("lost");
      await clock.advance(5000);
    }
    expect((await operator.ceilings())[0]?.used).toBeLessThanOrEqual(120);
  });

  test("lets a code through that finds nothing left in the store, if another one has reserved enough meanwhile", async () => {
    const { clock, outcome } = setUp({ sendsPerDay: 200, mode: "observe" }, 1, 3);
    expect(await countSent(198, outcome)).toBe(198);
    await clock.advance(5000);
    // The first code reserves two, which is all that is left, and the store has none for the second.
    expect(await countSent(3, outcome)).toBe(2);
  });

  test("of zero refuses every code, and none that is configured refuses none", async () => {
    expect(await countSent(3, setUp({ sendsPerHour: 0 }).outcome)).toBe(0);
    expect(await countSent(3, setUp({ costPerDay: 0, prices }).outcome)).toBe(0);
    expect(await countSent(20, setUp({}).outcome)).toBe(20);
  });

  test("of costs counts each country at its price", async () => {
    const { outcome } = setUp({ costPerDay: 1.2, prices, mode: "observe" });
    expect([await outcome("FR"), await outcome("FR"), await outcome("FR")]).toEqual([
      "sent",
      "sent",
      "cost_ceiling_reached",
    ]);
    expect(await countSent(10, outcome)).toBe(2);
  });

  test("counts a code that is sent again, and none that was surely not sent or that another limit refuses", async () => {
    const { ask, deps, outcome } = setUp({ sendsPerDay: 4, sendsPerHour: 2 });
    await giveBackCode(deps, await ask());
    const { facts } = await ask();
    const resend = { phone: "+491001000001", country: "DE", client: unknownClient, before: { facts, sends: 1 } };
    const again = () => reserveCode(deps, resend);
    expect((await again()).refused).toBeUndefined();
    expect(await outcome()).toBe("hourly_ceiling_reached");
    expect((await again()).refused?.limit.limit).toBe("sends_per_hour");
  });

  test("of a day loses nothing by codes that the ceiling of an hour refuses", async () => {
    const { clock, outcome } = setUp({ sendsPerDay: 3, sendsPerHour: 2 }, 1, 22);
    expect(await countSent(10, outcome)).toBe(2);
    await clock.advance(600_000);
    expect(await countSent(10, outcome)).toBe(1);
  });
});

test("a total is told to the store once in five seconds or after twenty logins, up or down, and its process knows it at once", async () => {
  const clock = createManualClock(0);
  const memory = createMemoryStore({ clock });
  const told: number[] = [];
  const store: Store = {
    ...memory,
    increment(changes) {
      told.push(...changes.map(({ by }) => by));
      return memory.increment(changes);
    },
  };
  const { add, increment } = createCounters({ store, clock });
  const total: Counter = { name: "app.logins.today", key: "logins", by: 0, ttlSeconds: 86_400, shared: true };
  const countOf = async () => (await increment([total])).get(total.name)?.count;
  const logIn = (times: number, by = 1) => add(Array.from({ length: times }, () => ({ ...total, by })));

  await countOf();
  logIn(19);
  expect([await countOf(), told]).toEqual([19, [0]]);
  logIn(1);
  expect([await countOf(), told]).toEqual([20, [0, 20]]);
  logIn(1);
  await clock.advance(5000);
  expect([await countOf(), await countOf(), told]).toEqual([21, 21, [0, 20, 1]]);
  logIn(20, -1);
  expect([await countOf(), told]).toEqual([1, [0, 20, 1, -20]]);
});

describe("an operator", () => {
  test("raises and lowers a ceiling for a time, and every process follows after five seconds", async () => {
    const { clock, operator, outcome } = setUp({ sendsPerDay: 4, mode: "observe" }, 2, 3);
    expect(await countSent(10, outcome)).toBe(4);
    await operator.changeCeiling("sends_per_day", 10, { forSeconds: 3600 });
    await clock.advance(5000);
    // The first code of each process learns of the change.
    await countSent(2, outcome);
    expect(await operator.ceilings()).toEqual([
      { kind: "sends_per_day", configured: 4, current: 10, used: 4, changedForSeconds: 3595 },
    ]);
    expect(await countSent(20, outcome)).toBe(6);
    await operator.changeCeiling("sends_per_day", 20, { forSeconds: 3600 });
    await operator.changeCeiling("sends_per_day", 0, { forSeconds: 60 });
    await clock.advance(5000);
    await countSent(2, outcome);
    expect(await countSent(20, outcome)).toBe(0);
    await clock.advance(3_600_000);
    expect(await operator.ceilings()).toEqual([{ kind: "sends_per_day", configured: 4, current: 4, used: 10 }]);
  });

  test("is at one of two values that operators choose at the same time", async () => {
    const { operator } = setUp({ sendsPerDay: 4 });
    await Promise.all([100, 200, 200].map((value) => operator.changeCeiling("sends_per_day", value)));
    expect([100, 200]).toContain((await operator.ceilings())[0]?.current);
  });

  test("lowers a ceiling for a process that begins later: its first code is all that it may reserve", async () => {
    const { operator, outcome } = setUp({ sendsPerDay: 1000, mode: "observe" });
    await operator.changeCeiling("sends_per_day", 0);
    expect(await countSent(1, outcome)).toBe(1);
    expect(await countSent(100, outcome)).toBe(0);
  });

  test("lowers a ceiling also for a process whose clock was set back by an hour", async () => {
    const { clock, deps, operator } = setUp({ sendsPerDay: 1000, mode: "observe" }, 1, 3);
    let setBack = 0;
    const now = () => clock.now() - setBack;
    const ofProcess = { ...deps, counters: createCounters({ ...deps, clock: { ...clock, now } }) };
    let asked = 0;
    const outcome = async () => {
      const phone = `+49${2000 + asked++}000001`;
      const client = { address: phone, network: phone };
      return (await reserveCode(ofProcess, { phone, country: "DE", client })).refused?.error.code ?? "sent";
    };
    expect(await countSent(2, outcome)).toBe(2);
    setBack = 3_600_000;
    await operator.changeCeiling("sends_per_day", 0);
    await clock.advance(5000);
    // The first code learns of the change. After it, what the process had reserved is left.
    await outcome();
    expect(await countSent(100, outcome)).toBeLessThanOrEqual(11);
  });

  test("returns to the configured ceiling before the time, and changes costs in the currency of the prices", async () => {
    const { clock, operator, outcome } = setUp({ costPerDay: 1, prices, mode: "observe" });
    await operator.changeCeiling("cost_per_day", 2.5);
    expect(await operator.ceilings()).toMatchObject([{ configured: 1, current: 2.5, used: 0 }]);
    await operator.changeCeiling("cost_per_day", undefined);
    await outcome("FR");
    await clock.advance(5000);
    expect(await countSent(10, () => outcome("FR"))).toBe(1);
    expect(await operator.ceilings()).toEqual([{ kind: "cost_per_day", configured: 1, current: 1, used: 1 }]);
  });

  test.each([
    { kind: "sends_per_hour", value: 5, forSeconds: 60, says: /login\.limits\.sendsPerHour/ },
    { kind: "sends_per_day", value: -1, forSeconds: 60, says: /a number from 0/ },
    { kind: "sends_per_day", value: Number.NaN, forSeconds: 60, says: /a number from 0/ },
    { kind: "sends_per_day", value: 5, forSeconds: 0.5, says: /whole number above 0/ },
    { kind: "sends_per_day", value: 5, forSeconds: 0, says: /whole number above 0/ },
  ] as const)("cannot change $kind to $value for $forSeconds seconds, and learns why", async (given) => {
    const { operator } = setUp({ sendsPerDay: 4 });
    const changing = operator.changeCeiling(given.kind, given.value, { forSeconds: given.forSeconds });
    await expect(changing).rejects.toThrow(given.says);
    expect(await operator.ceilings()).toMatchObject([{ current: 4 }]);
  });
});
