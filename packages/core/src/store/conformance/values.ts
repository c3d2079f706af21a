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
    title: "answers every value exactly as it was put: empty, numeric, unicode, JSON",
    async check(store) {
      for (const value of ["", "0", "007", "1e3", "null", "ключ 🔑 e\u0301 é", ' two\nlines\t" \\ ', '{"a":[1]}']) {
        const key = freshKey();
        await store.put(key, value, minute);
        assert.deepEqual(await store.get([key]), [value], "A value must come back as it was put.");
        const { value: leased } = await store.lease(key, "token", { leaseSeconds: 60, ...minute });
        assert.equal(leased, value, "lease must answer the value as it was put.");
      }
    },
  },
  {
    title: "keeps a value of one megabyte",
    async check(store) {
      const key = freshKey();
      const value = "0123456789abcdeé".repeat(65_536).slice(0, 1_000_000);
      await store.put(key, value, minute);
      const [read] = await store.get([key]);
      assert.ok(read === value, "A value of 1 MB must come back whole.");
    },
  },
  {
    title: "tells any two keys apart: spaces, unicode, case, patterns and 512 bytes",
    async check(store) {
      const key = freshKey();
      const long = key.padEnd(511, "k");
      const composed = ["é", "e\u0301", "ключ 🔑"];
      const endings = ["", " ", "  ", "a", "A", "%", "_", "*", "?", "{a}", ":a", "'", '"', "\\", "\n", ...composed];
      const keys = [...endings.map((ending) => key + ending), `${long}1`, `${long}2`];
      for (const [index, odd] of keys.entries()) await store.put(odd, String(index), minute);
      const expected = keys.map((_, index) => String(index));
      assert.deepEqual(await store.get(keys), expected, "Different keys must hold different values.");
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
