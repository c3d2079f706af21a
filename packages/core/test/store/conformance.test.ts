import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { storeConformance } from "../../src/store/conformance.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Increment, Store } from "../../src/store/store.ts";
import { createManualClock } from "../../src/testing.ts";

/** Ways in which stores have been written wrong, each with a check that has to notice it. */
const broken: readonly { readonly fault: string; readonly notices: string; readonly spoil: (store: Store) => Store }[] =
  [
    {
      fault: "reads and writes a counter in two steps",
      notices: "grants exactly the limit when two hundred increments race",
      spoil: (store) => ({ ...store, increment: (changes) => incrementInTwoSteps(store, changes) }),
    },
    {
      fault: "counts in texts",
      notices: "counts in numbers, and tells the seconds that are left",
      spoil: (store) => ({
        ...store,
        increment: async (changes) => {
          const answers = await store.increment(changes);
          return answers.map((answer) => ({ ...answer, count: String(answer.count) as unknown as number }));
        },
      }),
    },
    {
      fault: "tells what is left in milliseconds",
      notices: "counts in numbers, and tells the seconds that are left",
      spoil: (store) => ({
        ...store,
        increment: async (changes) => {
          const answers = await store.increment(changes);
          return answers.map((answer) => ({ ...answer, secondsLeft: answer.secondsLeft * 1000 }));
        },
      }),
    },
    {
      fault: "renews a counter with every change",
      notices: "forgets a counter when the lifetime that began with it is over",
      spoil: (store) => ({
        ...store,
        increment: (changes) => store.increment(changes.map((change) => ({ ...change, renew: true }))),
      }),
    },
    {
      fault: "never renews a counter",
      notices: "sets the lifetime of a counter anew with every granted change that renews",
      spoil: (store) => ({
        ...store,
        increment: (changes) => store.increment(changes.map((change) => ({ ...change, renew: false }))),
      }),
    },
    {
      fault: "answers a list in the order of its keys",
      notices: "answers a list in its order, each counter on its own, repeated ones one after the other",
      spoil: (store) => ({
        ...store,
        increment: (changes) => store.increment(changes.toSorted((left, right) => left.by - right.by)),
      }),
    },
    {
      fault: "keeps a counter through put",
      notices: "puts an end to a counter with put",
      spoil: (store) => ({
        ...store,
        async put(key, value, options) {
          const [counter] = await store.increment([{ key, by: 0, ...options }]);
          await store.put(key, value, options);
          await store.increment([{ key, by: counter?.count ?? 0, ...options }]);
        },
      }),
    },
    {
      fault: "keeps everything for ever",
      notices: "forgets a value when its lifetime is over, and not before",
      spoil: (store) => ({ ...store, put: (key, value) => store.put(key, value, { ttlSeconds: 1e9 }) }),
    },
    {
      fault: "keeps counters for ever",
      notices: "forgets a counter when the lifetime that began with it is over",
      spoil: (store) => ({
        ...store,
        increment: (changes) => store.increment(changes.map((change) => ({ ...change, ttlSeconds: 1e9 }))),
      }),
    },
    {
      fault: "folds the case of keys",
      notices: "tells any two keys apart: spaces, unicode, case, patterns and 512 bytes",
      spoil: (store) => ({
        ...store,
        put: (key, value, options) => store.put(key.toLowerCase(), value, options),
        get: (keys) => store.get(keys.map((key) => key.toLowerCase())),
      }),
    },
    {
      fault: "cuts long keys",
      notices: "tells any two keys apart: spaces, unicode, case, patterns and 512 bytes",
      spoil: (store) => ({
        ...store,
        put: (key, value, options) => store.put(key.slice(0, 255), value, options),
        get: (keys) => store.get(keys.map((key) => key.slice(0, 255))),
      }),
    },
    {
      fault: "takes an empty value for none",
      notices: "answers every value exactly as it was put: empty, numeric, unicode, JSON",
      spoil: (store) => ({ ...store, get: async (keys) => (await store.get(keys)).map((value) => value || undefined) }),
    },
    {
      fault: "settles without a fence",
      notices: "fences out a holder that was followed by another, also after that one is done",
      spoil: (store) => ({
        ...store,
        async settle(key, _token, value, options) {
          await store.put(key, value, options);
          return true;
        },
      }),
    },
    {
      fault: "looks at the holder and settles in two steps",
      notices: "settles one lease once when two hundred settle it",
      spoil: (store) => ({ ...store, settle: (...settle) => settleInTwoSteps(store, ...settle) }),
    },
    {
      fault: "lets every holder in at once",
      notices: "leases an absent key to exactly one of two hundred, and settles for that one only",
      spoil: (store) => ({ ...store, lease: async (...lease) => ({ ...(await store.lease(...lease)), held: true }) }),
    },
    {
      fault: "ignores that a lease ran out",
      notices: "hands a key on when its lease has run out, and not before",
      spoil: (store) => ({
        ...store,
        lease: (key, token, { ttlSeconds }) => store.lease(key, token, { leaseSeconds: 1e9, ttlSeconds }),
      }),
    },
    {
      fault: "refuses to renew",
      notices: "renews the lease of its holder",
      spoil: (store) => {
        const holders = new Map<string, string>();
        return {
          ...store,
          async lease(key, token, options) {
            if (holders.get(key) === token) return { held: false, value: undefined };
            holders.set(key, token);
            return store.lease(key, token, options);
          },
        };
      },
    },
    {
      fault: "drops the lease in spite of hold",
      notices: "keeps the lease through settle with hold, for no longer than it was taken",
      spoil: (store) => ({
        ...store,
        settle: (key, token, value, { ttlSeconds }) => store.settle(key, token, value, { ttlSeconds }),
      }),
    },
    {
      fault: "keeps the lease after settle",
      notices: "ends the lease with settle",
      spoil: (store) => ({
        ...store,
        settle: (key, token, value, { ttlSeconds }) => store.settle(key, token, value, { ttlSeconds, hold: true }),
      }),
    },
    {
      fault: "keeps the lease after put",
      notices: "ends a lease with put, of a value or of undefined",
      spoil: (store) => {
        const holders = new Map<string, string>();
        return {
          ...store,
          lease(key, token, options) {
            holders.set(key, token);
            return store.lease(key, token, options);
          },
          async put(key, value, options) {
            await store.put(key, value, options);
            await store.lease(key, holders.get(key) ?? "nobody", { leaseSeconds: 60, ...options });
          },
        };
      },
    },
  ];

describe("the conformance of a store", () => {
  test.each(broken)("is denied to a store that $fault", async ({ spoil, notices }) => {
    expect(await failures(spoil)).toContain(notices);
  });

  test("is granted to a store that is not spoilt", async () => {
    expect(await failures((store) => store)).toEqual([]);
  });

  test("holds no title twice", () => {
    const titles = storeConformance.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

/** The titles of the checks that the spoilt store does not pass, each on a store of its own. */
async function failures(spoil: (store: Store) => Store): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { title, check } of storeConformance) {
    const clock = createManualClock();
    const store = spoil(createMemoryStore({ clock }));
    await check(store, { advance: clock.advance }).catch(() => failed.push(title));
  }
  return failed;
}

async function incrementInTwoSteps(store: Store, changes: readonly Increment[]) {
  const before = await store.increment(changes.map((change) => ({ ...change, by: 0 })));
  await setImmediate();
  const writes = changes.map(({ limit = Number.POSITIVE_INFINITY, ...change }, index) => {
    const granted = (before[index]?.count ?? 0) + change.by <= limit;
    return { ...change, by: granted ? change.by : 0 };
  });
  const after = await store.increment(writes);
  return after.map((answer, index) => ({ ...answer, granted: writes[index]?.by === changes[index]?.by }));
}

async function settleInTwoSteps(store: Store, ...[key, token, value, options]: Parameters<Store["settle"]>) {
  const holds = await store.settle(key, token, value, { ...options, hold: true });
  await setImmediate();
  if (holds && !options.hold) await store.settle(key, token, value, options);
  return holds;
}
