import { expect, test } from "vitest";
import { createMemoryStore } from "../../src/store/memory.ts";

test.each(["5", null, Number.NaN])(
  "a limit of %j is refused: a comparison with it would limit nothing",
  async (limit) => {
    const store = createMemoryStore();
    const change = { key: "counter", by: 1, ttlSeconds: 60, limit: limit as number };
    await expect(store.increment([change])).rejects.toThrow(TypeError);
  },
);

test("a memory store may be as small as one entry", async () => {
  const store = createMemoryStore({ maxEntries: 1 });
  await store.put("key", "value", { ttlSeconds: 60 });
  await expect(store.put("other", "value", { ttlSeconds: 60 })).rejects.toMatchObject({ code: "store_unavailable" });
  expect(await store.get(["key", "other"])).toEqual(["value", undefined]);
});
