import { z } from "zod";
import type { Clock } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import { clockOption, parseOptions, strictOptions, wholeNumberOption } from "../util/parse-options.ts";
import { checkCounterChange, checkSeconds, checkTexts } from "./checked-store.ts";
import { type EntryRule, incrementEntry, leaseEntry, type StoreEntry, settleEntry } from "./entry.ts";
import type { Store } from "./store.ts";

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

  function change<Answer>(key: string, rule: EntryRule<Answer>): Answer {
    const now = clock.now();
    const found = entries.find(key, now);
    const { answer, next } = rule(found, now);
    if (next === found) return answer;
    if (next) entries.set(key, next, now);
    else entries.delete(key);
    return answer;
  }

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
      return changes.map((one) => change(one.key, (found, now) => incrementEntry(found, now, one)));
    },
    async lease(key, token, options) {
      checkTexts(key, token);
      checkSeconds(options.leaseSeconds, options.ttlSeconds);
      return change(key, (found, now) => leaseEntry(found, now, token, options));
    },
    async settle(key, token, value, options) {
      checkTexts(key, token, value);
      checkSeconds(options.ttlSeconds);
      return change(key, (found, now) => settleEntry(found, now, token, value, options));
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

/** Returns the entries of a name. Next.js and other bundlers load a module several times; all copies share `globalThis`. */
function sharedMap(name: string): Map<string, StoreEntry> {
  const symbol = Symbol.for(`@doorcode/core memory store ${name}`);
  const shared = globalThis as { [key: symbol]: Map<string, StoreEntry> | undefined };
  shared[symbol] ??= new Map();
  return shared[symbol];
}

/** Each new entry checks so many others, so expired entries stay a small part of the table. */
const sweptPerNewEntry = 8;

/** A full sweep of a million entries takes tens of milliseconds, so it is rare. */
const fullSweepPauseMilliseconds = 1000;

/**
 * Creates a table of limited size on a map, which other tables may share. It uses no timer: writes remove expired entries. Each call gets
 * its instant, in Unix milliseconds.
 */
function createEntries(map: Map<string, StoreEntry>, maxEntries: number) {
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
    find(key: string, now: number): StoreEntry | undefined {
      const entry = map.get(key);
      return entry && entry.expiresAt > now ? entry : undefined;
    },
    /** Adds or replaces an entry. @throws DoorcodeError `store_unavailable` for a new key if the table is full of live entries */
    set(key: string, entry: StoreEntry, now: number): void {
      if (!map.has(key)) makeRoom(now);
      map.set(key, entry);
    },
    delete: (key: string) => void map.delete(key),
  };
}
