import { describe, expect, test } from "vitest";
import { skewApp } from "../../../../test/support/app-clock.ts";
import { clockSkewConformance, storeConformance } from "../../../store-conformance/src/index.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { createManualClock } from "../../src/testing.ts";

const minute = { ttlSeconds: 60 };

describe("the memory store", () => {
  for (const { title, check } of storeConformance) {
    test(title, async () => {
      const clock = createManualClock();
      await check(createMemoryStore({ clock }), { advance: clock.advance });
    });
  }

  for (const { title, check } of clockSkewConformance) {
    test(`${title}, on a given clock`, async () => {
      const clock = createManualClock();
      await check(createMemoryStore({ clock }), { advance: clock.advance, skewApp });
    });
  }

  test("rejects each call that would create an entry when it is full, and still serves existing entries", async () => {
    const store = createMemoryStore({ clock: createManualClock(), maxEntries: 2 });
    await store.increment([{ key: "counter", by: 1, ...minute }]);
    await store.put("value", "value", minute);

    const refused = { code: "store_unavailable" };
    await expect(store.put("new", "value", minute)).rejects.toMatchObject(refused);
    await expect(store.increment([{ key: "new", by: 1, ...minute }])).rejects.toMatchObject(refused);
    await expect(store.lease("new", "token", { leaseSeconds: 1, ...minute })).rejects.toMatchObject(refused);

    expect(await store.increment([{ key: "counter", by: 1, ...minute }])).toMatchObject([{ count: 2 }]);
    expect(await store.increment([{ key: "new", by: 0, ...minute }])).toMatchObject([{ count: 0 }]);
    await store.put("value", "another", minute);
    expect(await store.lease("value", "token", { leaseSeconds: 1, ...minute })).toMatchObject({ held: true });
    expect(await store.settle("value", "token", undefined, minute)).toBe(true);
    await store.put("new", "value", minute);
  });

  test("removes expired entries to make room, even behind many live entries", async () => {
    const clock = createManualClock();
    const store = createMemoryStore({ clock, maxEntries: 1000 });
    for (let index = 0; index < 900; index++) await store.put(`long ${index}`, "value", minute);
    for (let index = 0; index < 100; index++) await store.put(`short ${index}`, "value", { ttlSeconds: 5 });
    await expect(store.put("one more", "value", minute)).rejects.toMatchObject({ code: "store_unavailable" });
    await clock.advance(5000);
    for (let index = 0; index < 100; index++) await store.put(`next ${index}`, "value", minute);
    await expect(store.put("one more", "value", minute)).rejects.toMatchObject({ code: "store_unavailable" });
  });

  test("uses no timer, so that it keeps no process alive", async () => {
    const clock = createManualClock();
    const store = createMemoryStore({ clock });
    await store.put("key", "value", { ttlSeconds: 2_592_000 });
    expect(clock.pending).toBe(0);
    await clock.advance(2_591_999_999);
    expect(await store.get(["key"])).toEqual(["value"]);
  });

  test("rounds the seconds of a counter up, so that no client is told to retry too early", async () => {
    const clock = createManualClock();
    const store = createMemoryStore({ clock });
    await store.increment([{ key: "counter", by: 1, ...minute }]);
    await clock.advance(59_001);
    expect(await store.increment([{ key: "counter", by: 0, ...minute }])).toMatchObject([{ secondsLeft: 1 }]);
  });

  test("shares its entries with stores of the same name, and no others", async () => {
    const name = "memory.test.ts";
    await createMemoryStore({ name }).put("key", "value", minute);
    expect(await createMemoryStore({ name }).get(["key"])).toEqual(["value"]);
    expect(await createMemoryStore({ name: `${name} 2` }).get(["key"])).toEqual([undefined]);
    expect(await createMemoryStore().get(["key"])).toEqual([undefined]);
  });

  test.each([0, -1, 1.5, Number.NaN])("refuses %d as maxEntries", (maxEntries) => {
    expect(() => createMemoryStore({ maxEntries })).toThrow(TypeError);
  });
});

test.each(["5", null, Number.NaN])(
  "a limit of %j is refused: a comparison with it would limit nothing",
  async (limit) => {
    const store = createMemoryStore();
    const change = { key: "counter", by: 1, ttlSeconds: 60, limit: limit as number };
    await expect(store.increment([change])).rejects.toThrow(TypeError);
  },
);
