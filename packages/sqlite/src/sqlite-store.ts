import {
  type Clock,
  type CounterChange,
  type CounterState,
  checkCounterChange,
  checkSeconds,
  checkTexts,
  clockOption,
  parseOptions,
  type Store,
  secondsOption,
  strictOptions,
  systemClock,
} from "@doorcode/core/store";
import { z } from "zod";
import { createEntries, type Entries, type Entry } from "./entries.ts";
import { openFile, type Synchronous } from "./sqlite-file.ts";
import { createTransactions } from "./transactions.ts";

/** Options of {@link createSqliteStore}. */
export interface SqliteStoreOptions {
  /** The path of the file. It is created if it is absent, readable by its owner alone. */
  readonly file: string;
  /**
   * What a power cut may take. `normal`: writes that the system had not yet put on the disk, on Linux usually those of half a minute; the
   * file stays whole. `full`: nothing that was answered, because each write waits for the disk. A process that dies loses nothing in
   * both. Default: `normal`.
   */
  readonly synchronous?: Synchronous;
  /** The time for which a function waits while other processes write, from 0.001 to 60; then it rejects. Default: 2. */
  readonly timeoutSeconds?: number;
  /** The clock of lifetimes and leases. All processes of a file need the same time. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** A {@link Store} in a file of SQLite. */
export interface SqliteStore extends Store {
  /** Closes the file. `doorcode.close()` calls it. */
  close(): Promise<void>;
}

const expectedFile = 'expected the path of a file, such as "./doorcode.sqlite"';

const optionsShape = strictOptions(
  {
    file: z
      .string(expectedFile)
      .min(1, expectedFile)
      .refine((file) => file !== ":memory:", expectedFile),
    synchronous: z.enum(["normal", "full"], 'expected "normal" or "full"').default("normal"),
    timeoutSeconds: secondsOption(0.001, 60).default(2),
    clock: clockOption.default(() => systemClock),
  },
  '{ file: "./doorcode.sqlite" }',
);

/**
 * Creates a store in a file of SQLite, for an app on one machine: it survives a restart, and any number of processes of this machine
 * share it. It needs Node's own `node:sqlite` and nothing else.
 *
 * Each function is one short transaction. While another process writes, a function waits without blocking its process, and rejects with
 * `store_unavailable` after `timeoutSeconds`, and when the file cannot be written, or was removed or replaced; nothing was written then.
 * Writes remove expired entries. The file must not be on a network file system.
 *
 * @throws TypeError for a wrong option. Error for a file that is foreign, damaged, newer than this package, read-only, readable by others,
 * no regular file, or on a network file system; such a file is not changed.
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * import { createSqliteStore } from "@doorcode/sqlite";
 * const doorcode = createDoorcode({ store: createSqliteStore({ file: "./doorcode.sqlite" }) });
 */
export function createSqliteStore(options: SqliteStoreOptions): SqliteStore {
  const { file, synchronous, timeoutSeconds, clock } = parseOptions("createSqliteStore", optionsShape, options);
  const database = openFile(file, synchronous);
  const entries = createEntries(database);
  const { run, read, close } = createTransactions(database, file, clock, timeoutSeconds);

  return {
    async get(keys) {
      checkTexts(...keys);
      return read(() => keys.map((key) => entries.find(key, clock.now())?.value));
    },
    async put(key, value, { ttlSeconds }) {
      checkTexts(key, value);
      checkSeconds(ttlSeconds);
      await run(() => {
        const now = clock.now();
        if (value === undefined) entries.delete(key);
        else entries.write(key, { ...newEntry(now, ttlSeconds), value }, now);
      });
    },
    async increment(changes) {
      changes.forEach(checkCounterChange);
      return run(() => changes.map((change) => incrementOne(entries, clock.now(), change)));
    },
    async lease(key, token, { leaseSeconds, ttlSeconds }) {
      checkTexts(key, token);
      checkSeconds(leaseSeconds, ttlSeconds);
      return run(() => {
        const now = clock.now();
        const found = entries.find(key, now);
        const isTaken = found?.holder !== undefined && found.holder !== token && now < found.leasedUntil;
        if (isTaken) return { held: false, value: found.value };
        const { expiresAt, ...fresh } = newEntry(now, ttlSeconds);
        const leasedUntil = now + leaseSeconds * 1000;
        entries.write(key, { ...fresh, ...found, expiresAt, holder: token, leasedUntil }, now);
        return { held: true, value: found?.value };
      });
    },
    async settle(key, token, value, { ttlSeconds, hold = false }) {
      checkTexts(key, token, value);
      checkSeconds(ttlSeconds);
      return run(() => {
        const now = clock.now();
        const found = entries.find(key, now);
        if (found?.holder !== token) return false;
        const { expiresAt } = newEntry(now, ttlSeconds);
        if (value === undefined && !hold) entries.delete(key);
        else entries.write(key, { ...found, value, expiresAt, holder: hold ? token : undefined }, now);
        return true;
      });
    },
    async close() {
      close();
    },
  };
}

function newEntry(now: number, ttlSeconds: number): Entry {
  return { value: undefined, count: 0, holder: undefined, leasedUntil: 0, expiresAt: now + ttlSeconds * 1000 };
}

function incrementOne(entries: Entries, now: number, change: CounterChange): CounterState {
  const { key, by, limit = Number.MAX_SAFE_INTEGER, ttlSeconds, renew = false } = change;
  const found = entries.find(key, now);
  const sum = (found?.count ?? 0) + by;
  const granted = sum <= Math.min(limit, Number.MAX_SAFE_INTEGER);
  const writes = granted && (found ? by !== 0 : by > 0);
  if (!writes) return { granted, ...readCounter(found, now) };

  const fresh = newEntry(now, ttlSeconds);
  const entry = { ...(found ?? fresh), count: Math.max(0, sum), ...(renew && { expiresAt: fresh.expiresAt }) };
  const ends = entry.count === 0 && entry.value === undefined && entry.holder === undefined;
  if (ends) entries.delete(key);
  else entries.write(key, entry, now);
  return { granted, ...readCounter(ends ? undefined : entry, now) };
}

function readCounter(entry: Entry | undefined, now: number): Omit<CounterState, "granted"> {
  if (!entry) return { count: 0, secondsLeft: 0 };
  // Rounded up, so that no client is told to retry before the counter expires.
  return { count: entry.count, secondsLeft: Math.ceil((entry.expiresAt - now) / 1000) };
}
