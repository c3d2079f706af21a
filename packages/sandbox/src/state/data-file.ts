import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Journal } from "./collection.ts";
import { dataFileError } from "./data-file-error.ts";
import { openDatabase } from "./open-database.ts";
import type { Collections, Journals, Records, State } from "./state.ts";
import { createWriteBatches, type WriteBatches } from "./write-batch.ts";

/** A file that mirrors the records of a state. */
export interface DataFile {
  /** The journals that a state reports its changes to, for `createState`. */
  readonly journals: Journals;
  /**
   * Loads the records of the file into an empty state, each kind in the order in which they were added.
   *
   * @throws SandboxError `data_file_unusable` when the file is damaged
   */
  load(state: State): void;
  /** Commits and closes the file. Later changes stay in memory, as if the process had been killed at this point. */
  close(): void;
}

/** The kinds of records. Each has a table of this name. */
const kinds: readonly (keyof Records)[] = [
  "accounts",
  "applications",
  "requests",
  "messages",
  "verifications",
  "deliveries",
  "scheduledTasks",
  "clockRates",
  "faults",
  "firings",
  "mails",
];

/**
 * Opens or creates a data file: a SQLite database that this process locks until it is closed.
 *
 * The writes of one synchronous run of code are stored completely or not at all. After the microtasks of that run they
 * survive the end of the process, including `kill -9`. After a power failure the newest writes may be missing, but never
 * a part of them and never older ones.
 *
 * @throws SandboxError `data_file_taken` when another connection has it open; `data_file_unusable` when it is not a data
 * file, was written by another version, or cannot be opened
 */
export function openDataFile(path: string): DataFile {
  // SQLite gives some names a special meaning, such as `:memory:` and `file:data?mode=memory`. An absolute path is none.
  const absolutePath = resolve(path);
  const toError = (cause: unknown) => dataFileError(absolutePath, cause);
  const database = openDatabase(absolutePath, kinds);
  const batches = createWriteBatches(database, toError);

  return {
    journals: { of: (kind) => openJournal(database, kind, batches) },
    load(state) {
      try {
        for (const kind of kinds) loadKind(state, kind, database);
      } catch (error) {
        throw toError(error);
      }
    },
    close() {
      if (!database.isOpen) return;
      try {
        batches.end();
      } finally {
        database.close();
      }
    },
  };
}

/** Records are stored as JSON, which omits undefined members. Reading an absent member gives undefined as well. */
function openJournal<Item extends { readonly id: string }>(
  database: DatabaseSync,
  kind: keyof Records,
  batches: WriteBatches,
): Journal<Item> {
  // An update keeps the row, and with it the position in the order.
  const write = database.prepare(
    `INSERT INTO ${kind} (id, record) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record`,
  );
  const erase = database.prepare(`DELETE FROM ${kind} WHERE id = ?`);
  return {
    write: (item) => batches.write(() => write.run(item.id, JSON.stringify(item))),
    erase: (id) => batches.write(() => erase.run(id)),
  };
}

function loadKind<Kind extends keyof Records>(collections: Collections, kind: Kind, database: DatabaseSync): void {
  collections[kind].restore(readRecords<Records[Kind]>(database, kind));
}

function* readRecords<Item>(database: DatabaseSync, kind: keyof Records): Iterable<Item> {
  const rows = database.prepare(`SELECT record FROM ${kind} ORDER BY sequence`).iterate();
  for (const { record } of rows) yield JSON.parse(String(record));
}
