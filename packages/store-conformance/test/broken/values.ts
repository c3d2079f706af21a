import { type BrokenStore, betweenSteps, writing } from "./broken-store.ts";

/** Stores with faulty values or keys. */
export const brokenValues: readonly BrokenStore[] = [
  {
    fault: "returns values in another order",
    spoil: (store) => ({ ...store, get: async (keys) => (await store.get(keys)).toReversed() }),
  },
  {
    fault: "returns null for an absent key",
    spoil: (store) => ({
      ...store,
      get: async (keys) => (await store.get(keys)).map((value) => value ?? (null as unknown as undefined)),
    }),
  },
  {
    fault: "keeps the first value that was put",
    spoil: (store) => ({
      ...store,
      async put(key, value, options) {
        const [held] = await store.get([key]);
        await store.put(key, value === undefined ? undefined : (held ?? value), options);
      },
    }),
  },
  {
    fault: "ignores a put of undefined",
    spoil: (store) => ({
      ...store,
      async put(key, value, options) {
        if (value !== undefined) await store.put(key, value, options);
      },
    }),
  },
  {
    fault: "leases an absent key with an empty value",
    spoil: (store) => ({
      ...store,
      async lease(key, token, options) {
        const leased = await store.lease(key, token, options);
        return { ...leased, value: leased.value ?? "" };
      },
    }),
  },
  {
    fault: "trims values",
    spoil: writing({ value: (value) => value.trim() }),
  },
  {
    fault: "normalizes values",
    spoil: writing({ value: (value) => value.normalize() }),
  },
  {
    fault: "cuts values at U+0000",
    spoil: writing({ value: (value) => value.split("\0", 1).join() }),
  },
  {
    fault: "cuts values at 64 kB",
    spoil: writing({ value: (value) => value.slice(0, 65_535) }),
  },
  {
    fault: "writes a value in two steps",
    spoil: (store) => ({
      ...store,
      async put(key, value, options) {
        await store.put(key, value?.slice(0, value.length / 2).toWellFormed(), options);
        await betweenSteps();
        await store.put(key, value, options);
      },
    }),
  },
  {
    fault: "folds the case of keys",
    spoil: writing({ key: (key) => key.toLowerCase() }),
  },
  {
    fault: "ignores spaces at the end of keys",
    spoil: writing({ key: (key) => key.replace(/ +$/, "") }),
  },
  {
    fault: "normalizes keys",
    spoil: writing({ key: (key) => key.normalize() }),
  },
  {
    fault: "cuts long keys",
    spoil: writing({ key: (key) => key.slice(0, 255) }),
  },
  {
    fault: "keeps its entries in a plain object",
    spoil(store) {
      const brought: Record<string, unknown> = {};
      return {
        ...store,
        async get(keys) {
          const values = await store.get(keys);
          return values.map((value, index) => value ?? (brought[keys[index] ?? ""] as string | undefined));
        },
      };
    },
  },
  {
    fault: "replaces half of a surrogate pair by U+FFFD",
    spoil: writing({ key: (key) => key.toWellFormed(), value: (value) => value.toWellFormed() }),
  },
];
