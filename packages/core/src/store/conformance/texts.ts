import assert from "node:assert/strict";
import { freshKey, long, minute } from "./fresh-key.ts";
import { refuses } from "./refuses.ts";
import type { StoreCheck } from "./store-check.ts";

const blank = ["", " ", "  ", "\t", "\r\n", "\0", "a\0b", "\uFEFF", "\u00A0"];
const numeric = ["0", "00", "007", "-0", "1e3", "null", "undefined", "true", '{"a":[1]}'];
const syntax = [..."'\"`\\%_*?:", "''", "\\u0000", "[a]", "::", "$1", "'; --", "*1\r\n$0\r\n"];
const braces = ["{", "}", "{}", "{}a", "{a}", "{a}b", "$a"];
const letters = ["a", "A", "a ", " a", "ß", "ss", "i", "ı", "İ", "é", "e\u0301", "ﬁ", "fi", "\u212B", "Å"];
const planes = ["ключ", "🔑", "👩‍👩‍👧", "𝒳", "\uFFFD", "\uE000", "\u{10FFFF}", "\u0001", "__proto__", "constructor"];

/** Texts that stores have been known to trim, to fold, to take for something else, or to stumble over. */
const odd: readonly string[] = [...blank, ...numeric, ...syntax, ...braces, ...letters, ...planes];

const halves = ["\uD83D", "\uDD11", "a\uDD11\uD83Db"];

/** What the contract promises for keys, tokens and values of any characters. */
export const textChecks: readonly StoreCheck[] = [
  {
    title: "answers every value exactly as it was given: empty, numeric, JSON, unicode, U+0000",
    async check(store) {
      await together(odd, async (value) => {
        const [put, settled] = [freshKey(), freshKey()];
        await store.put(put, value, minute);
        assert.deepEqual(await store.get([put]), [value], "A value must come back as it was put.");
        const { value: leased } = await store.lease(put, "token", long);
        assert.equal(leased, value, "lease must answer the value as it was put.");
        await store.lease(settled, "token", long);
        await store.settle(settled, "token", value, minute);
        assert.deepEqual(await store.get([settled]), [value], "A value must come back as it was settled.");
      });
    },
  },
  {
    title: "carries a value of one megabyte through put, get, lease and settle",
    async check(store) {
      const key = freshKey();
      const [first, second] = ["aé🔑\0".repeat(125_000), "0123456789abcdef".repeat(62_500)];
      await store.put(key, first, minute);
      const [put] = await store.get([key]);
      // Not `equal`, which would print both.
      assert.ok(put === first, "get must answer a value of 1 MB whole.");
      const { value: leased } = await store.lease(key, "a", long);
      const { value: refused } = await store.lease(key, "b", long);
      assert.ok(leased === first && refused === first, "lease must answer a value of 1 MB whole, to whoever asks.");
      assert.equal(await store.settle(key, "a", second, minute), true, "A value of 1 MB must be settled.");
      const [settled] = await store.get([key]);
      assert.ok(settled === second, "A value of 1 MB must be settled whole.");
    },
  },
  {
    title: "tells any two keys apart in every verb: case, spaces, quotes, braces, normalisation, 4,096 bytes",
    async check(store) {
      const fresh = freshKey();
      const longest = [1, 2].map((ending) => `${fresh.padEnd(4095, "k")}${ending}`);
      const keys = [...odd.map((text) => fresh + text), ...odd.map((text) => text + fresh).slice(1), ...longest];
      const names = keys.map((_, index) => `value ${index}`);
      await together(keys, (key, index) => store.put(key, names[index], minute));
      assert.deepEqual(await store.get(keys), names, "Different keys must hold different values.");
      const leases = await together(keys, (key, index) => store.lease(key, `token ${index}`, long));
      const expected = names.map((value) => ({ held: true, value }));
      assert.deepEqual(leases, expected, "A lease must hold its own key and no other.");
      const settled = await together(keys, (key, index) => store.settle(key, `token ${index}`, `${index}`, minute));
      assert.ok(settled.every(Boolean), "Each holder must settle its own key.");
      assert.deepEqual(await store.get(keys), Object.keys(keys), "settle must write its own key and no other.");
      await together(keys, (key) => store.put(key, undefined, minute));
      await store.increment(keys.map((key, index) => ({ key, by: index + 1, ...minute })));
      const counters = await store.increment(keys.map((key) => ({ key, by: 0, ...minute })));
      const counts = counters.map(({ count }) => count - 1);
      assert.deepEqual(counts, [...keys.keys()], "Different keys must have different counters.");
    },
  },
  {
    title: "tells any two tokens apart, the empty one too",
    async check(store) {
      await together(odd, async (token) => {
        const key = freshKey();
        assert.equal((await store.lease(key, token, long)).held, true, "A free key must be held, whatever the token.");
        for (const similar of lookalikes(token)) {
          assert.equal(await store.settle(key, similar, "x", minute), false, "A similar token must not settle.");
        }
        const other = await store.lease(key, `${token} `, long);
        assert.equal(other.held, false, "A similar token must not hold the key.");
        assert.equal((await store.lease(key, token, long)).held, true, "The same token must renew.");
        assert.equal(await store.settle(key, token, "x", minute), true, "The same token must settle.");
      });
    },
  },
  {
    title: "finds nothing under names that objects bring with them",
    async check(store) {
      const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "length"];
      const nothing = names.map(() => undefined);
      assert.deepEqual(await store.get(names), nothing, "What was never written must read as undefined.");
      const counters = await store.increment(names.map((key) => ({ key, by: 0, ...minute })));
      assert.ok(
        counters.every(({ count }) => count === 0),
        "What was never counted must be 0.",
      );
    },
  },
  {
    title: "refuses half of a surrogate pair in a key, token or value, and writes nothing",
    async check(store) {
      const [key, leased] = [freshKey(), freshKey()];
      await store.put(key, "value", minute);
      await store.lease(leased, "a", long);
      await together(halves, async (half) => {
        await refuses(() => store.get([key, key + half]));
        await refuses(() => store.put(key + half, "value", minute));
        await refuses(() => store.put(key, half, minute));
        await refuses(() => store.increment([key, key + half].map((name) => ({ key: name, by: 1, ...minute }))));
        await refuses(() => store.lease(key + half, "a", long));
        await refuses(() => store.lease(key, half, long));
        await refuses(() => store.settle(key + half, "a", "value", minute));
        await refuses(() => store.settle(leased, half, "value", minute));
        await refuses(() => store.settle(leased, "a", half, minute));
      });
      const replaced = `${key}\uFFFD`;
      assert.deepEqual(
        await store.get([key, replaced, leased]),
        ["value", undefined, undefined],
        "Nothing is written.",
      );
      const [counter] = await store.increment([{ key, by: 0, ...minute }]);
      assert.equal(counter?.count, 0, "Nothing of a list with such a key must be counted.");
      assert.equal(await store.settle(leased, "a", "value", minute), true, "The lease must stay as it was.");
    },
  },
];

/** What a store that folds, trims or cuts would take for the same. */
function lookalikes(text: string): readonly string[] {
  const found = [`${text} `, `${text}\0`, text.toLowerCase(), text.toUpperCase(), text.normalize("NFKD")];
  return found.filter((similar) => similar !== text);
}

/** Twenty at a time: a store may have few connections, and each its queue. */
async function together<Item, Result>(
  items: readonly Item[],
  act: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += 20) {
    const batch = items.slice(start, start + 20);
    results.push(...(await Promise.all(batch.map((item, offset) => act(item, start + offset)))));
  }
  return results;
}
