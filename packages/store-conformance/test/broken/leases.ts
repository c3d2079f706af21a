import { createMemoryStore } from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import { type BrokenStore, betweenSteps } from "./broken-store.ts";

/** Stores with faulty leases or a wrong clock. */
export const brokenLeases: readonly BrokenStore[] = [
  {
    fault: "grants a lease twice to concurrent calls",
    noticedBy: "leases an absent key to exactly one of two hundred tokens, and settles only for that one",
    spoil(store) {
      const asked = new Set<string>();
      return {
        ...store,
        async lease(key, token, options) {
          const atOnce = asked.has(key);
          asked.add(key);
          const leased = await store.lease(key, token, options);
          await betweenSteps();
          asked.delete(key);
          return { ...leased, held: leased.held || atOnce };
        },
      };
    },
  },
  {
    fault: "grants every lease",
    noticedBy: "leases a key to one holder at a time, and returns the value to others",
    spoil: (store) => ({ ...store, lease: async (...lease) => ({ ...(await store.lease(...lease)), held: true }) }),
  },
  {
    fault: "never ends a lease",
    noticedBy: "leases a key to another token after its lease runs out, and not before",
    spoil: (store) => ({
      ...store,
      lease: (key, token, { ttlSeconds }) => store.lease(key, token, { leaseSeconds: 1e9, ttlSeconds }),
    }),
  },
  {
    fault: "refuses to renew",
    noticedBy: "renews a lease for its holder",
    spoil(store) {
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
    fault: "settles without a fence",
    noticedBy: "fences out a holder that was replaced, even after its successor has settled",
    spoil: (store) => ({
      ...store,
      async settle(key, _token, value, options) {
        await store.put(key, value, options);
        return true;
      },
    }),
  },
  {
    fault: "checks the holder and settles in two steps",
    noticedBy: "settles a lease exactly once when its holder settles two hundred times at once",
    spoil: (store) => ({ ...store, settle: (...settle) => settleInTwoSteps(store, ...settle) }),
  },
  {
    fault: "refuses to settle late although no other token took over",
    noticedBy: "settles late if no other token took over",
    spoil: (store) => ({
      ...store,
      async settle(key, token, value, options) {
        const { held } = await store.lease(key, "whoever comes", { leaseSeconds: 1, ttlSeconds: 60 });
        return held ? false : store.settle(key, token, value, options);
      },
    }),
  },
  {
    fault: "compares only the first letters of tokens",
    noticedBy: "distinguishes any two tokens, including the empty one",
    spoil: (store) => ({
      ...store,
      lease: (key, token, options) => store.lease(key, token.slice(0, 8), options),
      settle: (key, token, value, options) => store.settle(key, token.slice(0, 8), value, options),
    }),
  },
  {
    fault: "ends the lease despite hold",
    noticedBy: "keeps the lease after settle with hold, and does not extend it",
    spoil: (store) => ({
      ...store,
      settle: (key, token, value, { ttlSeconds }) => store.settle(key, token, value, { ttlSeconds }),
    }),
  },
  {
    fault: "keeps the lease after settle",
    noticedBy: "ends the lease with settle",
    spoil: (store) => ({
      ...store,
      settle: (key, token, value, { ttlSeconds }) => store.settle(key, token, value, { ttlSeconds, hold: true }),
    }),
  },
  {
    fault: "keeps the lease after put",
    noticedBy: "ends a lease with put of a value or undefined",
    spoil(store) {
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
  {
    fault: "runs on the clock of the app",
    noticedBy: "leases to one holder for the length of the lease, even if the clocks of the apps are wrong",
    spoil: (_, appClock) => createMemoryStore({ clock: appClock }),
  },
];

async function settleInTwoSteps(store: Store, ...[key, token, value, options]: Parameters<Store["settle"]>) {
  const holds = await store.settle(key, token, value, { ...options, hold: true });
  await betweenSteps();
  if (holds && !options.hold) await store.settle(key, token, value, options);
  return holds;
}
