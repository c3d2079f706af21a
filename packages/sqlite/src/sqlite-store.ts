import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import {
  type CounterChange,
  type CounterState,
  checkCounterChange,
  checkSeconds,
  checkTexts,
  parseOptions,
  type Store,
  strictOptions,
} from "@doorcode/core/store";
import { createEntries, type Entries, type Entry } from "./entries.ts";
import { exampleOptions, fileOptions, type SqliteFileOptions, type Synchronous } from "./options.ts";
import { openFile } from "./sqlite-file.ts";
import { createTransactions } from "./transactions.ts";

/** Options of {@link createSqliteStore}. */
export interface SqliteStoreOptions extends SqliteFileOptions {
  /**
   * What a power cut may take. `normal`: writes that the system had not yet put on the disk, on Linux usually those of half a minute; the
   * file stays whole. `full`: nothing that was answered, because each write waits for the disk. A process that dies loses nothing in
   * both. Default: `normal`.
   */
  readonly synchronous?: Synchronous;
}

/** Options of {@link SqliteStore.settle}. */
export type SettleOptions = Parameters<Store["settle"]>[3] & {
  /** Writes in the transaction of the call, if the token is still that of the last holder. If it throws, nothing is written. */
  readonly write?: (database: DatabaseSync) => void;
};

/** A {@link Store} in a file of SQLite. */
export interface SqliteStore extends Store {
  /** The path of the file, for a connection of your own. */
  readonly file: string;
  /** Settles as {@link Store.settle} does, and may write more in the same transaction. */
  settle(key: string, token: string, value: string | undefined, options: SettleOptions): Promise<boolean>;
  /** Closes the file. `doorcode.close()` calls it. */
  close(): Promise<void>;
}

const optionsShape = strictOptions(fileOptions("normal"), exampleOptions);

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
  const database = openFile("createSqliteStore", file, synchronous);
  const entries = createEntries(database);
  const { run, read, close } = createTransactions(database, file, clock, timeoutSeconds);

  return {
    file: resolve(file),
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
    async settle(key, token, value, { ttlSeconds, hold = false, write }) {
      checkTexts(key, token, value);
      checkSeconds(ttlSeconds);
      return run(() => {
        const now = clock.now();
        const found = entries.find(key, now);
        if (found?.holder !== token) return false;
        write?.(database);
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
