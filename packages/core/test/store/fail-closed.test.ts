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

describe.each(Object.entries(calls))("a store that fails at %s", (_name, call) => {
  test("refuses with store_unavailable, and publishes the error", async () => {
    const error = new Error("connection refused");
    const fail = () => Promise.reject(error);
    const published: unknown[] = [];
    const broken: Store = { get: fail, put: fail, increment: fail, lease: fail, settle: fail };
    const store = createFailClosedStore(broken, (event) => void published.push(event));

    await expect(call(store)).rejects.toMatchObject({ code: "store_unavailable", retryAfterSeconds: 1, cause: error });
    expect(published).toEqual([{ type: "store.failed", error }]);
  });
});

test("a store that throws where it should reject is refused as well, and the error is published", async () => {
  const error = new TypeError("not a promise");
  const fail = () => {
    throw error;
  };
  const published: unknown[] = [];
  const broken: Store = { get: fail, put: fail, increment: fail, lease: fail, settle: fail };
  const store = createFailClosedStore(broken, (event) => void published.push(event));

  for (const call of Object.values(calls)) {
    await expect(call(store)).rejects.toMatchObject({ code: "store_unavailable", cause: error });
  }
  expect(published).toEqual(Object.values(calls).map(() => ({ type: "store.failed", error })));
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
