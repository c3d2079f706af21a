import { type Clock, systemClock } from "../util/clock.ts";
import { checkCounterChange, checkSeconds, checkTexts } from "./arguments.ts";
import { createEntries, createEntryTable, type Entries } from "./entries.ts";
import type { Entry } from "./memory-entry.ts";
import type { CounterChange, CounterState, Store } from "./store.ts";

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** The clock of lifetimes and leases. Default: the machine's clock. */
  readonly clock?: Clock;
  /**
   * Stores with the same name share their entries, even if this module is loaded more than once. Default: the entries
   * are not shared.
   */
  readonly name?: string;
  /** The maximum number of live entries. Beyond it, new ones are refused. Default: 1000000. */
  readonly maxEntries?: number;
}

/** Larger numbers are not exact in JavaScript. */
const maxCount = Number.MAX_SAFE_INTEGER;

const emptyEntry: Entry = { value: undefined, count: 0, expiresAt: 0, holder: undefined, leasedUntil: 0 };

/**
 * Creates a store in the memory of this process.
 *
 * It keeps the contract of {@link Store} within **one process**. With several processes, machines or serverless
 * instances, each counts and fences alone, so the allowed attempts multiply. A restart loses everything. For more than
 * one process, use the store of `@doorcode/redis` or `@doorcode/postgres`.
 *
 * The store holds at most `maxEntries` live entries. Beyond that, a call that would create an entry rejects with
 * `store_unavailable`, because evicting a counter would give used attempts back; calls on existing entries still work.
 * Later writes remove expired entries. The store uses no timers, so it never keeps a process alive.
 *
 * @throws TypeError if `maxEntries` is not a whole number above 0.
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
  const entries = createEntries(shareUnder(name, createEntryTable), maxEntries);

  // The functions are async so that errors reject. None of them awaits, so each is atomic.
  const store: Store = {
    async get(keys) {
      const now = clock.now();
      return keys.map((key) => {
        checkTexts(key);
        return entries.findValue(key, now);
      });
    },
    async put(key, value, { ttlSeconds }) {
      checkTexts(key, value);
      checkSeconds(ttlSeconds);
      const now = clock.now();
      if (value === undefined) entries.delete(key);
      else entries.set(key, { ...emptyEntry, value, expiresAt: now + ttlSeconds * 1000 }, now);
    },
    async increment(changes) {
      changes.forEach(checkCounterChange);
      const now = clock.now();
      return changes.map((change) => incrementOne(entries, now, change));
    },
    async lease(key, token, { leaseSeconds, ttlSeconds }) {
      checkTexts(key, token);
      checkSeconds(leaseSeconds, ttlSeconds);
      const now = clock.now();
      const { value, count, holder, leasedUntil } = entries.find(key, now) ?? emptyEntry;
      if (holder !== undefined && holder !== token && now < leasedUntil) return { held: false, value };
      const expiresAt = now + ttlSeconds * 1000;
      entries.set(key, { value, count, expiresAt, holder: token, leasedUntil: now + leaseSeconds * 1000 }, now);
      return { held: true, value };
    },
    async settle(key, token, value, { ttlSeconds, hold = false }) {
      checkTexts(key, token, value);
      checkSeconds(ttlSeconds);
      const now = clock.now();
      const entry = entries.find(key, now);
      if (entry?.holder !== token) return false;
      const { count, leasedUntil } = entry;
      const expiresAt = now + ttlSeconds * 1000;
      if (value === undefined && !hold) entries.delete(key);
      else entries.set(key, { value, count, expiresAt, holder: hold ? token : undefined, leasedUntil }, now);
      return true;
    },
  };
  memoryStores.add(store);
  return store;
}

const memoryStores = new WeakSet<object>();

/** Tells whether a store keeps its entries in the memory of one process. */
export function isMemoryStore(store: Store): boolean {
  return memoryStores.has(store);
}

function incrementOne(entries: Entries, now: number, change: CounterChange): CounterState {
  const { key, by, limit = maxCount, ttlSeconds, renew = false } = change;
  const found = entries.find(key, now);
  const count = (found?.count ?? 0) + by;
  const granted = count <= Math.min(limit, maxCount);
  const creates = found === undefined && by > 0;
  const changes = found !== undefined && by !== 0;
  if (!granted || !(creates || changes)) return { granted, ...readCounter(found, now) };

  const expiresAt = found === undefined || renew ? now + ttlSeconds * 1000 : found.expiresAt;
  const changed = { ...(found ?? emptyEntry), count: Math.max(0, count), expiresAt };
  const ends = changed.count === 0 && changed.value === undefined && changed.holder === undefined;
  if (ends) entries.delete(key);
  else entries.set(key, changed, now);
  return { granted, ...readCounter(ends ? undefined : changed, now) };
}

function readCounter(entry: Entry | undefined, now: number): { readonly count: number; readonly secondsLeft: number } {
  if (!entry) return { count: 0, secondsLeft: 0 };
  // Rounded up, so that no client is told to retry before the counter expires.
  return { count: entry.count, secondsLeft: Math.ceil((entry.expiresAt - now) / 1000) };
}

/**
 * Returns what stores of this name share, or a new one without a name. Next.js and other bundlers load a module several
 * times. All copies share `globalThis`.
 */
function shareUnder<Shared>(name: string | undefined, create: () => Shared): Shared {
  if (name === undefined) return create();
  const symbol = Symbol.for(`@doorcode/core memory store ${name}`);
  const shared = globalThis as { [key: symbol]: Shared | undefined };
  shared[symbol] ??= create();
  return shared[symbol];
}
