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
