import { z } from "zod";
import type { Clock } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import { clockOption, parseOptions, strictOptions, wholeNumberOption } from "../util/parse-options.ts";
import { checkCounterChange, checkSeconds, checkTexts } from "./checked-store.ts";
import type { CounterChange, CounterState, Store } from "./store.ts";

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** The clock of lifetimes and leases. Default: the machine's clock. */
  readonly clock?: Clock;
  /** Stores with the same name share their entries, also those of another copy of this module. Default: not shared. */
  readonly name?: string;
  /** The maximum number of live entries. Beyond it, new ones are refused. Default: 1000000. */
  readonly maxEntries?: number;
}

/**
 * Creates a store in the memory of **one process**: other processes and serverless instances do not see it, so the allowed attempts
 * multiply, and a restart loses everything. For more than one process, use the store of `@doorcode/redis` or `@doorcode/postgres`.
 *
 * Beyond `maxEntries` live entries, a call that would create an entry rejects with `store_unavailable`, because evicting a counter would
 * give used attempts back. The store uses no timers, so it never keeps a process alive: later writes remove expired entries.
 *
 * @throws TypeError for a wrong option, naming the option and the expectation.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const { clock, name, maxEntries } = parseOptions("createMemoryStore", optionsShape, options);
  const entries = createEntries(name === undefined ? new Map() : sharedMap(name), maxEntries);

  // The functions are async so that errors reject. None of them awaits, so each is atomic.
  const store: Store = {
    async get(keys) {
      checkTexts(...keys);
      const now = clock.now();
      return keys.map((key) => entries.find(key, now)?.value);
    },
    async put(key, value, { ttlSeconds }) {
      checkTexts(key, value);
      checkSeconds(ttlSeconds);
      const now = clock.now();
      if (value === undefined) entries.delete(key);
      else entries.set(key, { value, expiresAt: now + ttlSeconds * 1000 }, now);
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
      const entry = entries.find(key, now);
      const isTaken = entry?.holder !== undefined && entry.holder !== token && now < (entry.leasedUntil ?? 0);
      if (isTaken) return { held: false, value: entry.value };
      const expiresAt = now + ttlSeconds * 1000;
      entries.set(key, { ...entry, expiresAt, holder: token, leasedUntil: now + leaseSeconds * 1000 }, now);
      return { held: true, value: entry?.value };
    },
    async settle(key, token, value, { ttlSeconds, hold = false }) {
      checkTexts(key, token, value);
      checkSeconds(ttlSeconds);
      const now = clock.now();
      const entry = entries.find(key, now);
      if (entry?.holder !== token) return false;
      const expiresAt = now + ttlSeconds * 1000;
      if (value === undefined && !hold) entries.delete(key);
      else entries.set(key, { ...entry, value, expiresAt, holder: hold ? token : undefined }, now);
      return true;
    },
  };
  memoryStores.add(store);
  return store;
}

const optionsShape = strictOptions({
  clock: clockOption,
  name: z.string().optional(),
  maxEntries: wholeNumberOption(1, Number.MAX_SAFE_INTEGER).default(1_000_000),
});

const memoryStores = new WeakSet<object>();

/** Tells whether a store keeps its entries in the memory of one process. */
export function isMemoryStore(store: Store): boolean {
  return memoryStores.has(store);
}

/** Larger numbers are not exact in JavaScript. */
const maxCount = Number.MAX_SAFE_INTEGER;

function incrementOne(entries: Entries, now: number, change: CounterChange): CounterState {
  const { key, by, limit = maxCount, ttlSeconds, renew = false } = change;
  const entry = entries.find(key, now);
  const sum = (entry?.count ?? 0) + by;
  const granted = sum <= Math.min(limit, maxCount);
  const changes = entry === undefined ? by > 0 : by !== 0;
  if (!granted || !changes) return { granted, ...readCounter(entry, now) };

  const expiresAt = entry === undefined || renew ? now + ttlSeconds * 1000 : entry.expiresAt;
  const count = Math.max(0, sum);
  const changed: Entry = entry ? { ...entry, count, expiresAt } : { count, expiresAt };
  const ends = changed.count === 0 && changed.value === undefined && changed.holder === undefined;
  if (ends) entries.delete(key);
  else entries.set(key, changed, now);
  return { granted, ...readCounter(ends ? undefined : changed, now) };
}

function readCounter(entry: Entry | undefined, now: number): Omit<CounterState, "granted"> {
  if (!entry) return { count: 0, secondsLeft: 0 };
  // Rounded up, so that no client is told to retry before the counter expires.
  return { count: entry.count ?? 0, secondsLeft: Math.ceil((entry.expiresAt - now) / 1000) };
}

/** Returns the entries of a name. Next.js and other bundlers load a module several times; all copies share `globalThis`. */
function sharedMap(name: string): Map<string, Entry> {
  const symbol = Symbol.for(`@doorcode/core memory store ${name}`);
  const shared = globalThis as { [key: symbol]: Map<string, Entry> | undefined };
  shared[symbol] ??= new Map();
  return shared[symbol];
}

/** An entry of the memory store: a value, a counter, or both, and perhaps its lease. Instants are Unix milliseconds. */
interface Entry {
  readonly expiresAt: number;
  readonly value?: string | undefined;
  readonly count?: number;
  /** The token of the last holder, until another takes the lease, or the key is settled or put. */
  readonly holder?: string | undefined;
  readonly leasedUntil?: number;
}

/** A table of limited size whose entries expire. Each call gets its instant, in Unix milliseconds. */
type Entries = ReturnType<typeof createEntries>;

/** Each new entry checks so many others, so expired entries stay a small part of the table. */
const sweptPerNewEntry = 8;

/** A full sweep of a million entries takes tens of milliseconds, so it is rare. */
const fullSweepPauseMilliseconds = 1000;

/** Creates a table on a map, which other tables may share. It uses no timer: writes remove expired entries. */
function createEntries(map: Map<string, Entry>, maxEntries: number) {
  let cursor = map.entries();
  let nextFullSweep = Number.NEGATIVE_INFINITY;

  function sweep(steps: number, now: number): void {
    for (let step = 0; step < steps; step++) {
      const next = cursor.next();
      if (next.done) cursor = map.entries();
      else if (next.value[1].expiresAt <= now) map.delete(next.value[0]);
    }
  }

  function makeRoom(now: number): void {
    sweep(sweptPerNewEntry, now);
    if (map.size >= maxEntries && now >= nextFullSweep) {
      nextFullSweep = now + fullSweepPauseMilliseconds;
      cursor = map.entries();
      sweep(map.size, now);
    }
    if (map.size < maxEntries) return;
    // Evicting a live counter would give used attempts back.
    const message = `The memory store is full: ${maxEntries} entries are live. Raise maxEntries or use a shared store.`;
    throw new DoorcodeError("store_unavailable", { message });
  }

  return {
    /** Returns an entry, unless it has expired. */
    find(key: string, now: number): Entry | undefined {
      const entry = map.get(key);
      return entry && entry.expiresAt > now ? entry : undefined;
    },
    /** Adds or replaces an entry. @throws DoorcodeError `store_unavailable` for a new key if the table is full of live entries */
    set(key: string, entry: Entry, now: number): void {
      if (!map.has(key)) makeRoom(now);
      map.set(key, entry);
    },
    delete: (key: string) => void map.delete(key),
  };
}
