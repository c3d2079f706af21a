import assert from "node:assert/strict";
import { freshKey, minute } from "./fresh-key.ts";
import type { StoreCheck } from "./store-check.ts";

/** What `get` and `put` promise. */
export const valueChecks: readonly StoreCheck[] = [
  {
    title: "answers undefined for a key that was never written",
    async check(store) {
      assert.deepEqual(await store.get([freshKey()]), [undefined], "An absent key must read as undefined.");
    },
  },
  {
    title: "answers values in the order of the keys, repeated and absent ones too",
    async check(store) {
      const [first, second, absent] = [freshKey(), freshKey(), freshKey()];
      await store.put(first, "1", minute);
      await store.put(second, "2", minute);
      const values = await store.get([second, absent, first, second]);
      assert.deepEqual(values, ["2", undefined, "1", "2"], "get must answer one value a key, in the order asked.");
      assert.deepEqual(await store.get([]), [], "get of no key must answer an empty list.");
    },
  },
  {
    title: "keeps the last value put",
    async check(store) {
      const key = freshKey();
      await store.put(key, "earlier", minute);
      await store.put(key, "later", minute);
      assert.deepEqual(await store.get([key]), ["later"], "The last writer must win.");
    },
  },
  {
    title: "deletes a value that is put as undefined, and may do so again",
    async check(store) {
      const key = freshKey();
      await store.put(key, "value", minute);
      await store.put(key, undefined, minute);
      await store.put(key, undefined, minute);
      assert.deepEqual(await store.get([key]), [undefined], "put of undefined must delete.");
    },
  },
  {
    title: "forgets a value when its lifetime is over, and not before",
    async check(store, { advance }) {
      const [short, long] = [freshKey(), freshKey()];
      await store.put(short, "value", { ttlSeconds: 2 });
      await store.put(long, "value", minute);
      await advance(1000);
      assert.deepEqual(await store.get([short, long]), ["value", "value"], "A value must live for its ttlSeconds.");
      await advance(1000);
      assert.deepEqual(await store.get([short, long]), [undefined, "value"], "A value must be gone after ttlSeconds.");
    },
  },
  {
    title: "sets the lifetime of a value anew with every put",
    async check(store, { advance }) {
      const [longer, shorter] = [freshKey(), freshKey()];
      await store.put(longer, "first", { ttlSeconds: 1 });
      await store.put(longer, "second", minute);
      await store.put(shorter, "first", minute);
      await store.put(shorter, "second", { ttlSeconds: 1 });
      await advance(1000);
      const values = await store.get([longer, shorter]);
      assert.deepEqual(values, ["second", undefined], "The lifetime of the last put must count.");
    },
  },
];
