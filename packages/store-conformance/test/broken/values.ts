import { type BrokenStore, betweenSteps, writing } from "./broken-store.ts";

/** Stores with faulty values or keys. */
export const brokenValues: readonly BrokenStore[] = [
  {
    fault: "returns values in another order",
    noticedBy: "returns values in the order of the keys, including repeated and absent keys",
    spoil: (store) => ({ ...store, get: async (keys) => (await store.get(keys)).toReversed() }),
  },
  {
    fault: "keeps values forever",
    noticedBy: "expires a value at the end of its lifetime, and not before",
    spoil: (store) => ({ ...store, put: (key, value) => store.put(key, value, { ttlSeconds: 1e9 }) }),
  },
  {
    fault: "keeps the lifetime of the first put",
    noticedBy: "restarts the lifetime of a value with every put",
    spoil(store) {
      const first = new Map<string, { readonly ttlSeconds: number }>();
      return {
        ...store,
        put(key, value, options) {
          if (!first.has(key)) first.set(key, options);
          return store.put(key, value, first.get(key) ?? options);
        },
      };
    },
  },
  {
    fault: "returns undefined for an empty value",
    noticedBy: "returns every value unchanged: empty, numeric, JSON, Unicode, U+0000",
    spoil: (store) => ({ ...store, get: async (keys) => (await store.get(keys)).map((value) => value || undefined) }),
  },
  {
    fault: "trims values",
    noticedBy: "returns every value unchanged: empty, numeric, JSON, Unicode, U+0000",
    spoil: writing({ value: (value) => value.trim() }),
  },
  {
    fault: "normalizes values",
    noticedBy: "returns every value unchanged: empty, numeric, JSON, Unicode, U+0000",
    spoil: writing({ value: (value) => value.normalize() }),
  },
  {
    fault: "cuts values at U+0000",
    noticedBy: "returns every value unchanged: empty, numeric, JSON, Unicode, U+0000",
    spoil: writing({ value: (value) => value.split("\0", 1).join() }),
  },
  {
    fault: "cuts values at 64 kB",
    noticedBy: "stores one megabyte with put and settle, and returns it with get and lease",
    spoil: writing({ value: (value) => value.slice(0, 65_535) }),
  },
  {
    fault: "writes a value in two steps",
    noticedBy: "stores one of two hundred values completely when they are put at once",
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
    noticedBy: "distinguishes any two keys in every function: case, spaces, quotes, braces, normalization, 4,096 bytes",
    spoil: writing({ key: (key) => key.toLowerCase() }),
  },
  {
    fault: "ignores spaces at the end of keys",
    noticedBy: "distinguishes any two keys in every function: case, spaces, quotes, braces, normalization, 4,096 bytes",
    spoil: writing({ key: (key) => key.replace(/ +$/, "") }),
  },
  {
    fault: "normalizes keys",
    noticedBy: "distinguishes any two keys in every function: case, spaces, quotes, braces, normalization, 4,096 bytes",
    spoil: writing({ key: (key) => key.normalize() }),
  },
  {
    fault: "cuts long keys",
    noticedBy: "distinguishes any two keys in every function: case, spaces, quotes, braces, normalization, 4,096 bytes",
    spoil: writing({ key: (key) => key.slice(0, 255) }),
  },
  {
    fault: "keeps its entries in a plain object",
    noticedBy: "finds nothing under the names of built-in object members",
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
    noticedBy: "rejects half of a surrogate pair in a key, token or value, and writes nothing",
    spoil: writing({ key: (key) => key.toWellFormed(), value: (value) => value.toWellFormed() }),
  },
  {
    fault: "rounds lifetimes up",
    noticedBy: "rejects a lifetime or lease that is not a whole number of seconds above 0, and writes nothing",
    spoil: (store) => ({
      ...store,
      put: (key, value, { ttlSeconds }) => store.put(key, value, { ttlSeconds: Math.ceil(ttlSeconds) }),
    }),
  },
];
