import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import {
  checkCounterChange,
  checkSeconds,
  checkTexts,
  type EntryRule,
  incrementEntry,
  leaseEntry,
  parseOptions,
  type Store,
  settleEntry,
  strictOptions,
} from "@doorcode/core/store";
import { createEntries } from "./entries.ts";
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

  /** Decides about the entry of a key, and writes the decision. Call it inside a transaction. */
  function change<Answer>(key: string, rule: EntryRule<Answer>): Answer {
    const now = clock.now();
    const found = entries.find(key, now);
    const { answer, next } = rule(found, now);
    if (next === found) return answer;
    if (next) entries.write(key, next, now);
    else entries.delete(key);
    return answer;
  }

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
        else entries.write(key, { value, expiresAt: now + ttlSeconds * 1000 }, now);
      });
    },
    async increment(changes) {
      changes.forEach(checkCounterChange);
      return run(() => changes.map((one) => change(one.key, (found, now) => incrementEntry(found, now, one))));
    },
    async lease(key, token, options) {
      checkTexts(key, token);
      checkSeconds(options.leaseSeconds, options.ttlSeconds);
      return run(() => change(key, (found, now) => leaseEntry(found, now, token, options)));
    },
    async settle(key, token, value, options) {
      checkTexts(key, token, value);
      checkSeconds(options.ttlSeconds);
      return run(() =>
        change(key, (found, now) => {
          const decision = settleEntry(found, now, token, value, options);
          // Before the entry: writes that end the transaction must not commit it.
          if (decision.answer) options.write?.(database);
          return decision;
        }),
      );
    },
    async close() {
      close();
    },
  };
}
