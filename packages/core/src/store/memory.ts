import { type Clock, systemClock } from "../primitives/clock.ts";
import { checkCounterChange, checkSeconds, checkTexts } from "./arguments.ts";
import { createEntries, type Entries, type Entry } from "./entries.ts";
import type { CounterChange, CounterState, Store } from "./store.ts";

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** Lifetimes and leases run on it. The machine's clock when left out. */
  readonly clock?: Clock;
  /** Stores of one name share their entries, also when this module is loaded more than once in the process. */
  readonly name?: string;
  /** How many live entries are kept before new ones are refused; 1,000,000 when left out. */
  readonly maxEntries?: number;
}

/** Beyond it a number of JavaScript is no longer exact. */
const maxCount = Number.MAX_SAFE_INTEGER;

const empty: Entry = { value: undefined, count: 0, expiresAt: 0, holder: undefined, leasedUntil: 0 };

/**
 * Creates a store in the memory of this process.
 *
 * It promises the whole contract of {@link Store} inside **one process**: a second process, machine or serverless
 * instance counts and fences on its own, so attempts multiply by their number, and a restart forgets everything. Run
 * more than one and use the store of `@doorcode/redis` or `@doorcode/postgres`.
 *
 * Memory is bounded. When `maxEntries` are live, a verb that would create another rejects with `store_unavailable`,
 * since evicting a counter would give its attempts back; everything that exists goes on working. What has expired is
 * swept by later writes, without timers, so the store never keeps a process alive.
 *
 * @throws TypeError when `maxEntries` is not a whole number above 0.
 * @example
 * import { createMemoryStore } from "@doorcode/core";
 * const store = createMemoryStore({ name: "doorcode" });
 * const [attempt] = await store.increment([{ key: "attempts", by: 1, limit: 5, ttlSeconds: 300 }]);
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const { clock = systemClock, name, maxEntries = 1_000_000 } = options;
  if (!Number.isSafeInteger(maxEntries) || maxEntries < 1) {
    throw new TypeError("createMemoryStore: maxEntries must be a whole number above 0, such as 1_000_000.");
  }
  const entries = createEntries(name === undefined ? new Map() : sharedMap(name), clock, maxEntries);

  // The verbs are async so that what goes wrong rejects; none of them waits, and that makes each of them atomic.
  return {
    async get(keys) {
      checkTexts(...keys);
      return keys.map((key) => entries.find(key)?.value);
    },
    async put(key, value, { ttlSeconds }) {
      checkTexts(key, value);
      checkSeconds(ttlSeconds);
      if (value === undefined) entries.forget(key);
      else entries.keep(key, { ...empty, value, expiresAt: after(clock, ttlSeconds) });
    },
    async increment(changes) {
      changes.forEach(checkCounterChange);
      return changes.map((change) => incrementOne(entries, clock, change));
    },
    async lease(key, token, { leaseSeconds, ttlSeconds }) {
      checkTexts(key, token);
      checkSeconds(leaseSeconds, ttlSeconds);
      const entry = entries.find(key);
      const value = entry?.value;
      const taken = entry?.holder !== undefined && entry.holder !== token && clock.now() < entry.leasedUntil;
      if (taken) return { held: false, value };
      const lease = { holder: token, leasedUntil: after(clock, leaseSeconds), expiresAt: after(clock, ttlSeconds) };
      entries.keep(key, { ...(entry ?? empty), ...lease });
      return { held: true, value };
    },
    async settle(key, token, value, { ttlSeconds, hold = false }) {
      checkTexts(key, token, value);
      checkSeconds(ttlSeconds);
      const entry = entries.find(key);
      if (entry?.holder !== token) return false;
      const expiresAt = after(clock, ttlSeconds);
      if (value === undefined && !hold) entries.forget(key);
      else entries.keep(key, { ...entry, value, expiresAt, holder: hold ? token : undefined });
      return true;
    },
  };
}

function incrementOne(entries: Entries, clock: Clock, change: CounterChange): CounterState {
  const { key, by, limit = maxCount, ttlSeconds, renew = false } = change;
  const found = entries.find(key);
  const count = (found?.count ?? 0) + by;
  const granted = count <= Math.min(limit, maxCount);
  const creates = found === undefined && by > 0;
  const changes = found !== undefined && by !== 0;
  if (!granted || !(creates || changes)) return { granted, ...standing(found, clock) };

  const expiresAt = found === undefined || renew ? after(clock, ttlSeconds) : found.expiresAt;
  const changed = { ...(found ?? empty), count: Math.max(0, count), expiresAt };
  entries.keep(key, changed);
  return { granted, ...standing(changed, clock) };
}

function standing(entry: Entry | undefined, clock: Clock): { readonly count: number; readonly secondsLeft: number } {
  if (!entry) return { count: 0, secondsLeft: 0 };
  // Rounded up, so that nobody is told to come back while the counter still stands.
  return { count: entry.count, secondsLeft: Math.ceil((entry.expiresAt - clock.now()) / 1000) };
}

function after(clock: Clock, seconds: number): number {
  return clock.now() + seconds * 1000;
}

/** Next.js and other bundlers load a module several times; `globalThis` is what the copies have in common. */
function sharedMap(name: string): Map<string, Entry> {
  const symbol = Symbol.for(`@doorcode/core memory store ${name}`);
  const shared = globalThis as { [key: symbol]: Map<string, Entry> | undefined };
  shared[symbol] ??= new Map();
  return shared[symbol];
}
