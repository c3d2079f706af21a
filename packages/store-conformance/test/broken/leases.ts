import { createMemoryStore } from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import { type BrokenStore, betweenSteps } from "./broken-store.ts";

/** Stores with faulty leases or a wrong clock. */
export const brokenLeases: readonly BrokenStore[] = [
  {
    fault: "grants a lease twice to concurrent calls",
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
    spoil: (store) => ({ ...store, lease: async (...lease) => ({ ...(await store.lease(...lease)), held: true }) }),
  },
  {
    fault: "never ends a lease",
    spoil: (store) => ({
      ...store,
      lease: (key, token, { ttlSeconds }) => store.lease(key, token, { leaseSeconds: 1e9, ttlSeconds }),
    }),
  },
  {
    fault: "refuses to renew",
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
    spoil: (store) => ({ ...store, settle: (...settle) => settleInTwoSteps(store, ...settle) }),
  },
  {
    fault: "refuses to settle late although no other token took over",
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
    spoil: (store) => ({
      ...store,
      lease: (key, token, options) => store.lease(key, token.slice(0, 8), options),
      settle: (key, token, value, options) => store.settle(key, token.slice(0, 8), value, options),
    }),
  },
  {
    fault: "keeps the lease after put",
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
    spoil: (_, appClock) => createMemoryStore({ clock: appClock }),
  },
];

async function settleInTwoSteps(store: Store, ...[key, token, value, options]: Parameters<Store["settle"]>) {
  const holds = await store.settle(key, token, value, { ...options, hold: true });
  await betweenSteps();
  if (holds && !options.hold) await store.settle(key, token, value, options);
  return holds;
}
