import { type BrokenStore, betweenSteps, writing } from "./broken-store.ts";

/** Values and keys that are wrong. */
export const brokenValues: readonly BrokenStore[] = [
  {
    fault: "answers values in another order",
    noticedBy: "answers values in the order of the keys, repeated and absent ones too",
    spoil: (store) => ({ ...store, get: async (keys) => (await store.get(keys)).toReversed() }),
  },
  {
    fault: "keeps everything for ever",
    noticedBy: "forgets a value when its lifetime is over, and not before",
    spoil: (store) => ({ ...store, put: (key, value) => store.put(key, value, { ttlSeconds: 1e9 }) }),
  },
  {
    fault: "keeps the lifetime of the first put",
    noticedBy: "sets the lifetime of a value anew with every put",
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
    fault: "takes an empty value for none",
    noticedBy: "answers every value exactly as it was given: empty, numeric, JSON, unicode, U+0000",
    spoil: (store) => ({ ...store, get: async (keys) => (await store.get(keys)).map((value) => value || undefined) }),
  },
  {
    fault: "trims values",
    noticedBy: "answers every value exactly as it was given: empty, numeric, JSON, unicode, U+0000",
    spoil: writing({ value: (value) => value.trim() }),
  },
  {
    fault: "normalises values",
    noticedBy: "answers every value exactly as it was given: empty, numeric, JSON, unicode, U+0000",
    spoil: writing({ value: (value) => value.normalize() }),
  },
  {
    fault: "cuts values at U+0000",
    noticedBy: "answers every value exactly as it was given: empty, numeric, JSON, unicode, U+0000",
    spoil: writing({ value: (value) => value.split("\0", 1).join() }),
  },
  {
    fault: "has room for 64 kB",
    noticedBy: "carries a value of one megabyte through put, get, lease and settle",
    spoil: writing({ value: (value) => value.slice(0, 65_535) }),
  },
  {
    fault: "writes a value in two steps",
    noticedBy: "keeps one of two hundred values whole when they are put at once",
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
    noticedBy: "tells any two keys apart in every verb: case, spaces, quotes, braces, normalisation, 4,096 bytes",
    spoil: writing({ key: (key) => key.toLowerCase() }),
  },
  {
    fault: "does not see spaces at the end of keys",
    noticedBy: "tells any two keys apart in every verb: case, spaces, quotes, braces, normalisation, 4,096 bytes",
    spoil: writing({ key: (key) => key.replace(/ +$/, "") }),
  },
  {
    fault: "normalises keys",
    noticedBy: "tells any two keys apart in every verb: case, spaces, quotes, braces, normalisation, 4,096 bytes",
    spoil: writing({ key: (key) => key.normalize() }),
  },
  {
    fault: "cuts long keys",
    noticedBy: "tells any two keys apart in every verb: case, spaces, quotes, braces, normalisation, 4,096 bytes",
    spoil: writing({ key: (key) => key.slice(0, 255) }),
  },
  {
    fault: "keeps its entries in an object",
    noticedBy: "finds nothing under names that objects bring with them",
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
    fault: "writes half a character as U+FFFD",
    noticedBy: "refuses half of a surrogate pair in a key, token or value, and writes nothing",
    spoil: writing({ key: (key) => key.toWellFormed(), value: (value) => value.toWellFormed() }),
  },
  {
    fault: "rounds lifetimes up",
    noticedBy: "refuses a lifetime or a lease that is no whole number of seconds above 0, and writes nothing",
    spoil: (store) => ({
      ...store,
      put: (key, value, { ttlSeconds }) => store.put(key, value, { ttlSeconds: Math.ceil(ttlSeconds) }),
    }),
  },
];
