import { describe, expect, test } from "vitest";
import { createFailClosedStore } from "../../src/store/checked-store.ts";
import { createMemoryStore, isMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";

const minute = { ttlSeconds: 60 };
const lease = { leaseSeconds: 15, ttlSeconds: 60 };

const calls: Readonly<Record<Exclude<keyof Store, "close">, (store: Store) => Promise<unknown>>> = {
  get: (store) => store.get(["key"]),
  put: (store) => store.put("key", "value", minute),
  increment: (store) => store.increment([{ key: "counter", by: 1, ...minute }]),
  lease: (store) => store.lease("key", "token", lease),
  settle: (store) => store.settle("key", "token", "value", minute),
};

const failures: Readonly<Record<string, (error: Error) => Promise<never>>> = {
  rejects: (error) => Promise.reject(error),
  throws(error) {
    throw error;
  },
};

describe.each(Object.entries(calls))("a store that fails at %s", (_name, call) => {
  test.each(Object.entries(failures))(
    "refuses with store_unavailable when it %s, and publishes the error",
    async (_how, throwing) => {
      const error = new Error("connection refused");
      const fail = () => throwing(error);
      const published: unknown[] = [];
      const broken: Store = { get: fail, put: fail, increment: fail, lease: fail, settle: fail };
      const store = createFailClosedStore(broken, (event) => void published.push(event));

      await expect(call(store)).rejects.toMatchObject({
        code: "store_unavailable",
        retryAfterSeconds: 1,
        cause: error,
      });
      expect(published).toEqual([{ type: "store.failed", error }]);
    },
  );
});

test("a store whose promises are those of another library answers like every other store", async () => {
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library is what this is about.
  const values: PromiseLike<readonly string[]> = { then: (take, fail) => Promise.resolve(["value"]).then(take, fail) };
  const store = createFailClosedStore(
    { ...createMemoryStore(), get: () => values as Promise<string[]> },
    () => undefined,
  );
  expect(await store.get(["key"])).toEqual(["value"]);
});

test("a memory store is known as one, and no other store is", () => {
  const memory = createMemoryStore();
  expect([isMemoryStore(memory), isMemoryStore({ ...memory })]).toEqual([true, false]);
});
