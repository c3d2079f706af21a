import assert from "node:assert/strict";
import { assertRefused } from "./assert-refused.ts";
import { freshKey, longLease, minute } from "./fresh-key.ts";
import type { StoreCheck } from "./store-check.ts";

const blanks = ["", " ", "  ", "\t", "\r\n", "\0", "a\0b", "\uFEFF", "\u00A0"];
const numeric = ["0", "00", "007", "-0", "1e3", "null", "undefined", "true", '{"a":[1]}'];
const syntax = [..."'\"`\\%_*?:", "''", "\\u0000", "[a]", "::", "$1", "'; --", "*1\r\n$0\r\n"];
const braces = ["{", "}", "{}", "{}a", "{a}", "{a}b", "$a"];
const letters = ["a", "A", "a ", " a", "ß", "ss", "i", "ı", "İ", "é", "e\u0301", "ﬁ", "fi", "\u212B", "Å"];
const unicode = ["ключ", "🔑", "👩‍👩‍👧", "𝒳", "\uFFFD", "\uE000", "\u{10FFFF}", "\u0001", "__proto__", "constructor"];

/** Texts that some stores trim, fold, mistake for something else, or fail on. */
const trickyTexts: readonly string[] = [...blanks, ...numeric, ...syntax, ...braces, ...letters, ...unicode];

const loneSurrogates = ["\uD83D", "\uDD11", "a\uDD11\uD83Db"];

/** The checks of keys, tokens and values with any characters. */
export const textChecks: readonly StoreCheck[] = [
  {
    title: "returns every value unchanged: empty, numeric, JSON, Unicode, U+0000",
    async check(store) {
      await inBatches(trickyTexts, async (value) => {
        const [put, settled] = [freshKey(), freshKey()];
        await store.put(put, value, minute);
        assert.deepEqual(await store.get([put]), [value], "get must return a value as it was put.");
        const { value: leased } = await store.lease(put, "token", longLease);
        assert.equal(leased, value, "lease must return the value as it was put.");
        await store.lease(settled, "token", longLease);
        await store.settle(settled, "token", value, minute);
        assert.deepEqual(await store.get([settled]), [value], "get must return a value as it was settled.");
      });
    },
  },
  {
    title: "stores one megabyte with put and settle, and returns it with get and lease",
    async check(store) {
      const key = freshKey();
      const [first, second] = ["aé🔑\0".repeat(125_000), "0123456789abcdef".repeat(62_500)];
      await store.put(key, first, minute);
      const [put] = await store.get([key]);
      // Not `equal`, whose message would contain both values.
      assert.ok(put === first, "get must return a value of 1 MB completely.");
      const { value: leased } = await store.lease(key, "a", longLease);
      const { value: refused } = await store.lease(key, "b", longLease);
      assert.ok(
        leased === first && refused === first,
        "lease must return a value of 1 MB completely, even if it is not held.",
      );
      assert.equal(await store.settle(key, "a", second, minute), true, "settle must accept a value of 1 MB.");
      const [settled] = await store.get([key]);
      assert.ok(settled === second, "settle must write a value of 1 MB completely.");
    },
  },
  {
    title: "distinguishes any two keys in every function: case, spaces, quotes, braces, normalization, 4,096 bytes",
    async check(store) {
      const fresh = freshKey();
      const maxLengthKeys = [1, 2].map((ending) => `${fresh.padEnd(4095, "k")}${ending}`);
      const keys = [
        ...trickyTexts.map((text) => fresh + text),
        ...trickyTexts.map((text) => text + fresh).slice(1),
        ...maxLengthKeys,
      ];
      const values = keys.map((_, index) => `value ${index}`);
      await inBatches(keys, (key, index) => store.put(key, values[index], minute));
      assert.deepEqual(await store.get(keys), values, "Different keys must have different values.");
      const leases = await inBatches(keys, (key, index) => store.lease(key, `token ${index}`, longLease));
      const expected = values.map((value) => ({ held: true, value }));
      assert.deepEqual(leases, expected, "lease must lease its own key and no other.");
      const settled = await inBatches(keys, (key, index) => store.settle(key, `token ${index}`, `${index}`, minute));
      assert.ok(settled.every(Boolean), "Each holder must settle its own key.");
      assert.deepEqual(await store.get(keys), Object.keys(keys), "settle must write its own key and no other.");
      await inBatches(keys, (key) => store.put(key, undefined, minute));
      await store.increment(keys.map((key, index) => ({ key, by: index + 1, ...minute })));
      const counters = await store.increment(keys.map((key) => ({ key, by: 0, ...minute })));
      const counts = counters.map(({ count }) => count - 1);
      assert.deepEqual(counts, [...keys.keys()], "Different keys must have different counters.");
    },
  },
  {
    title: "distinguishes any two tokens, including the empty one",
    async check(store) {
      await inBatches(trickyTexts, async (token) => {
        const key = freshKey();
        assert.equal((await store.lease(key, token, longLease)).held, true, "A free key must be leased to any token.");
        for (const similar of similarTexts(token)) {
          assert.equal(await store.settle(key, similar, "x", minute), false, "A similar token must not settle.");
        }
        const other = await store.lease(key, `${token} `, longLease);
        assert.equal(other.held, false, "A similar token must not take the lease.");
        assert.equal((await store.lease(key, token, longLease)).held, true, "The same token must renew the lease.");
        assert.equal(await store.settle(key, token, "x", minute), true, "The same token must settle.");
      });
    },
  },
  {
    title: "finds nothing under the names of built-in object members",
    async check(store) {
      const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "length"];
      const absent = names.map(() => undefined);
      assert.deepEqual(await store.get(names), absent, "get must return undefined for a key that was never written.");
      const counters = await store.increment(names.map((key) => ({ key, by: 0, ...minute })));
      assert.ok(
        counters.every(({ count }) => count === 0),
        "A counter that was never changed must be 0.",
      );
    },
  },
  {
    title: "rejects half of a surrogate pair in a key, token or value, and writes nothing",
    async check(store) {
      const [key, leased] = [freshKey(), freshKey()];
      await store.put(key, "value", minute);
      await store.lease(leased, "a", longLease);
      await inBatches(loneSurrogates, async (half) => {
        await assertRefused(() => store.get([key, key + half]));
        await assertRefused(() => store.put(key + half, "value", minute));
        await assertRefused(() => store.put(key, half, minute));
        await assertRefused(() => store.increment([key, key + half].map((name) => ({ key: name, by: 1, ...minute }))));
        await assertRefused(() => store.lease(key + half, "a", longLease));
        await assertRefused(() => store.lease(key, half, longLease));
        await assertRefused(() => store.settle(key + half, "a", "value", minute));
        await assertRefused(() => store.settle(leased, half, "value", minute));
        await assertRefused(() => store.settle(leased, "a", half, minute));
      });
      const replaced = `${key}\uFFFD`;
      assert.deepEqual(
        await store.get([key, replaced, leased]),
        ["value", undefined, undefined],
        "A rejected call must write nothing.",
      );
      const [counter] = await store.increment([{ key, by: 0, ...minute }]);
      assert.equal(counter?.count, 0, "A list with such a key must change no counter.");
      assert.equal(
        await store.settle(leased, "a", "value", minute),
        true,
        "A rejected call must leave the lease unchanged.",
      );
    },
  },
];

/** Returns texts that a store which folds, trims or cuts would confuse with `text`. */
function similarTexts(text: string): readonly string[] {
  const candidates = [`${text} `, `${text}\0`, text.toLowerCase(), text.toUpperCase(), text.normalize("NFKD")];
  return candidates.filter((similar) => similar !== text);
}

/** Runs a task for each item, twenty at a time, because a store may have few connections. */
async function inBatches<Item, Result>(
  items: readonly Item[],
  task: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += 20) {
    const batch = items.slice(start, start + 20);
    results.push(...(await Promise.all(batch.map((item, offset) => task(item, start + offset)))));
  }
  return results;
}
