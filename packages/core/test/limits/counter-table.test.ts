import { createMemoryStore } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import {
  type CounterDeps,
  failureBudgets,
  sendsPerOtherDevices,
  totalCounters,
} from "../../src/limits/counter-table.ts";
import { answersOf, type Counter, countOf, reserve } from "../../src/limits/counters.ts";
import { loginLimitsShape } from "../../src/limits/login-limits.ts";

const daySeconds = 86_400;

function setUp() {
  // The beginning of a day and of a week, as the limits count them.
  const clock = createManualClock(Date.UTC(2026, 8, 24));
  const store = createMemoryStore({ clock });
  const limits = { ...loginLimitsShape.parse({ failuresPerPhone: 2 }), mode: "enforce" } as const;
  const deps: CounterDeps = { name: "app", limits };
  return { clock, store, deps, pass: (seconds: number) => clock.advance(seconds * 1000) };
}

describe("the table of counters", () => {
  test("L4: each wrong code of a number keeps those before it for another 400 days", async () => {
    const { store, deps, pass } = setUp();
    const fail = () => reserve(store, failureBudgets(deps, { phoneFingerprint: "phone" }));
    await fail();
    await pass(399 * daySeconds);
    await fail();
    await pass(399 * daySeconds);
    await expect(fail()).rejects.toMatchObject({ code: "phone_closed" });
    await pass(daySeconds);
    await expect(fail()).resolves.toBeUndefined();
  });

  test("takes nothing from the counters that would have granted a share, if another one refuses", async () => {
    const { store } = setUp();
    const counter = (name: "address.failures" | "number.failures", limit: number): Counter => {
      return { name, key: name, by: 1, limit, ttlSeconds: daySeconds, refusal: "phone_closed" };
    };
    await expect(reserve(store, [counter("address.failures", 1), counter("number.failures", 0)])).rejects.toThrow();
    await expect(reserve(store, [counter("address.failures", 1)])).resolves.toBeUndefined();
  });

  test("keeps what was counted when a day or a week began until the end of the next one", async () => {
    const { clock, store, deps, pass } = setUp();
    const read = async () => {
      const counters = totalCounters(deps, clock.now());
      return answersOf(counters, await store.increment(counters));
    };
    await store.increment(totalCounters(deps, clock.now(), undefined, { logins: 1 }));
    await pass(2 * daySeconds - 1);
    expect(countOf(await read(), "app.logins.yesterday")).toBe(1);
    await pass(12 * daySeconds);
    expect(countOf(await read(), "app.logins.lastWeek")).toBe(1);
  });

  test("leaves the other devices of a number a code a day, however few the newest one has", () => {
    expect([1, 10, 11].map((sendsPerDevicePerDay) => sendsPerOtherDevices({ sendsPerDevicePerDay }))).toEqual([
      1, 1, 2,
    ]);
  });
});
