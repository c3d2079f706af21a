import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEntries, createEntryTable } from "../../src/store/entries.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { expiryOfPacked } from "../../src/store/memory-entry.ts";
import { createManualClock } from "../../src/testing.ts";

const maxEntries = 20;
const unleased = { value: "value", count: 0, holder: undefined, leasedUntil: 0 };

test.each(Array.from({ length: maxEntries }, (_, place) => place))(
  "a full memory store makes room when entry %i has expired, and only that one",
  async (place) => {
    const clock = createManualClock();
    const store = createMemoryStore({ clock, maxEntries });
    for (let index = 0; index < maxEntries; index++) {
      await store.put(`entry ${index}`, "value", { ttlSeconds: index === place ? 1 : 60 });
    }
    await clock.advance(1000);
    await store.put("new", "value", { ttlSeconds: 60 });
    expect(await store.get(["new", `entry ${place}`])).toEqual(["value", undefined]);
  },
);

test("the expired entries of a memory store stay a small part of it, even if it is never full", async () => {
  const clock = createManualClock();
  const table = createEntryTable();
  const { map } = table;
  const entries = createEntries(table, 1_000_000);
  const add = (name: string, count: number, seconds: number) => {
    const now = clock.now();
    const expiresAt = now + seconds * 1000;
    for (let index = 0; index < count; index++) entries.set(`${name} ${index}`, { ...unleased, expiresAt }, now);
  };
  add("short", 800, 1);
  await clock.advance(1000);
  add("long", 200, 60);
  expect(map.size).toBe(200);
});

test("expired and deleted entries are swept, in any order in which two stores of one table wrote them", () => {
  const write = { key: fc.nat(20), seconds: fc.integer({ min: 1, max: 9 }), later: fc.nat(3) };
  const steps = fc.array(fc.record({ ...write, deletes: fc.boolean(), second: fc.boolean() }), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (order) => {
      const table = createEntryTable();
      const stores = [createEntries(table, 1_000_000), createEntries(table, 1_000_000)] as const;
      let now = 0;
      const entry = (seconds: number) => ({ ...unleased, expiresAt: now + seconds * 1000 });
      for (const { key, seconds, later, deletes, second } of order) {
        const entries = stores[second ? 1 : 0];
        if (deletes) entries.delete(`${key}`);
        else entries.set(`${key}`, entry(seconds), now);
        // Until this instant nothing is swept.
        expect(Math.min(...[...table.map.values()].map(expiryOfPacked))).toBeGreaterThanOrEqual(table.earliestEnd);
        now += later * 1000;
      }
      now += 9000;
      for (let index = 0; index < 30; index++) stores[0].set(`new ${index}`, entry(600), now);
      expect(table.map.size).toBe(30);
    }),
  );
});

test("a key that is not there leaves nothing when it is deleted", () => {
  const table = createEntryTable();
  createEntries(table, 1_000_000).delete("absent");
  expect(table.map.size).toBe(0);
});

test("an entry that a pass of the sweep has come by is swept when it was written again, to end sooner", () => {
  const table = createEntryTable();
  const entries = createEntries(table, 1_000_000);
  const write = (key: string, now: number, seconds: number) =>
    entries.set(key, { ...unleased, expiresAt: now + seconds * 1000 }, now);
  write("ends first", 0, 1);
  for (let index = 0; index < 10; index++) write(`${index}`, 0, 100);
  write("begins the pass", 1000, 100);
  write("0", 1000, 2);
  for (let index = 0; index < 3; index++) write(`ends the pass ${index}`, 1000, 100);
  for (let index = 0; index < 3; index++) write(`later ${index}`, 4000, 100);
  expect(table.map.has("0")).toBe(false);
});

test("a full memory store looks through all of its entries at most once a second, and through a few each time", async () => {
  const places = [...Array(maxEntries).keys()];
  const found = await Promise.all(
    places.map(async (place) => {
      const clock = createManualClock();
      const store = createMemoryStore({ clock, maxEntries });
      const isAdded = (ttlSeconds = 60) =>
        store.put("new", "value", { ttlSeconds }).then(
          () => true,
          () => false,
        );
      for (const index of places) await store.put(`entry ${index}`, "value", { ttlSeconds: index === place ? 1 : 60 });
      await clock.advance(999);
      const whileAllLive = await isAdded();
      await clock.advance(1);
      const soon = await isAdded();
      await clock.advance(999);
      return { whileAllLive, soon, later: await isAdded() };
    }),
  );
  expect(found.filter(({ whileAllLive }) => whileAllLive)).toEqual([]);
  expect(found.filter(({ soon }) => soon)).toHaveLength(8);
  expect(found.filter(({ later }) => later)).toHaveLength(maxEntries);
});

describe("an entry that was deleted", () => {
  const entry = { value: "value", count: 0, expiresAt: 60_000, holder: undefined, leasedUntil: 0 };

  test("comes back in its old place, so that one which comes and goes is not looked for in each place that it had", () => {
    const table = createEntryTable();
    const { map } = table;
    const entries = createEntries(table, maxEntries);
    entries.set("hot", entry, 0);
    entries.set("other", entry, 0);
    for (let time = 0; time < 3; time++) {
      entries.delete("hot");
      expect(entries.find("hot", 0)).toBeUndefined();
      entries.set("hot", entry, 0);
    }
    expect([...map.keys()]).toEqual(["hot", "other"]);
  });

  test.each([0, 10, 19])("makes room at once in a full table that was just looked through: entry %i", (place) => {
    const entries = createEntries(createEntryTable(), maxEntries);
    for (let index = 0; index < maxEntries; index++) entries.set(`entry ${index}`, entry, 0);
    expect(() => entries.set("new", entry, 0)).toThrow();
    entries.delete(`entry ${place}`);
    entries.set("new", entry, 0);
    expect(entries.find("new", 0)).toEqual(entry);
  });

  test("is gone before a table is full: all entries that may live have room, in any order", () => {
    const keys = fc.integer({ min: 0, max: 30 });
    const steps = fc.array(fc.record({ key: keys, deletes: fc.boolean() }), { maxLength: 300 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: maxEntries }), (order, max) => {
        const entries = createEntries(createEntryTable(), max);
        const live = new Set<number>();
        for (const { key, deletes } of order) {
          if (deletes) live.delete(key);
          if (deletes) entries.delete(`${key}`);
          else if (live.size < max || live.has(key)) {
            entries.set(`${key}`, entry, 0);
            live.add(key);
          }
        }
        for (const key of live) expect(entries.find(`${key}`, 0)).toEqual(entry);
      }),
    );
  });
});
