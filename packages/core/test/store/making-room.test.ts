import { expect, test } from "vitest";
import { createMemoryStore } from "../../src/store/memory.ts";
import { createManualClock } from "../../src/testing.ts";

const maxEntries = 20;

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
  const soon = found.filter((each) => each.soon).length;
  expect(soon).toBeGreaterThan(0);
  expect(soon).toBeLessThan(maxEntries);
  expect(found.filter(({ later }) => later)).toHaveLength(maxEntries);
});

test("an entry that was deleted makes room immediately in a full store that was just swept", async () => {
  const store = createMemoryStore({ clock: createManualClock(), maxEntries });
  for (let index = 0; index < maxEntries; index++) await store.put(`entry ${index}`, "value", { ttlSeconds: 60 });
  await expect(store.put("new", "value", { ttlSeconds: 60 })).rejects.toMatchObject({ code: "store_unavailable" });
  await store.put("entry 7", undefined, { ttlSeconds: 60 });
  await store.put("new", "value", { ttlSeconds: 60 });
  expect(await store.get(["new", "entry 7"])).toEqual(["value", undefined]);
});
