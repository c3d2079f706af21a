import assert from "node:assert/strict";
import { freshKey, minute } from "./fresh-key.ts";
import type { StoreCheck } from "./store-check.ts";

/** The checks of `get` and `put`. */
export const valueChecks: readonly StoreCheck[] = [
  {
    title: "returns undefined for a key that was never written",
    async check(store) {
      assert.deepEqual(await store.get([freshKey()]), [undefined], "An absent key must read as undefined.");
    },
  },
  {
    title: "returns values in the order of the keys, including repeated and absent keys",
    async check(store) {
      const [first, second, absent] = [freshKey(), freshKey(), freshKey()];
      await store.put(first, "1", minute);
      await store.put(second, "2", minute);
      const values = await store.get([second, absent, first, second]);
      assert.deepEqual(values, ["2", undefined, "1", "2"], "get must return one value for each key, in their order.");
      assert.deepEqual(await store.get([]), [], "get without keys must return an empty list.");
    },
  },
  {
    title: "keeps the last value that was put",
    async check(store) {
      const key = freshKey();
      await store.put(key, "earlier", minute);
      await store.put(key, "later", minute);
      assert.deepEqual(await store.get([key]), ["later"], "The last put must win.");
    },
  },
  {
    title: "deletes a value with put of undefined, also twice",
    async check(store) {
      const key = freshKey();
      await store.put(key, "value", minute);
      await store.put(key, undefined, minute);
      await store.put(key, undefined, minute);
      assert.deepEqual(await store.get([key]), [undefined], "put of undefined must delete.");
    },
  },
  {
    title: "expires a value at the end of its lifetime, and not before",
    async check(store, { advance }) {
      const [brief, lasting] = [freshKey(), freshKey()];
      await store.put(brief, "value", { ttlSeconds: 2 });
      await store.put(lasting, "value", minute);
      await advance(1000);
      assert.deepEqual(
        await store.get([brief, lasting]),
        ["value", "value"],
        "A value must not expire before its ttlSeconds.",
      );
      await advance(1000);
      assert.deepEqual(
        await store.get([brief, lasting]),
        [undefined, "value"],
        "A value must expire after its ttlSeconds.",
      );
    },
  },
  {
    title: "restarts the lifetime of a value with every put",
    async check(store, { advance }) {
      const [longer, shorter] = [freshKey(), freshKey()];
      await store.put(longer, "first", { ttlSeconds: 1 });
      await store.put(longer, "second", minute);
      await store.put(shorter, "first", minute);
      await store.put(shorter, "second", { ttlSeconds: 1 });
      await advance(1000);
      const values = await store.get([longer, shorter]);
      assert.deepEqual(values, ["second", undefined], "The lifetime of the last put must apply.");
    },
  },
];
