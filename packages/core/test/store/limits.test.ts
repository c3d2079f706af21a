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
