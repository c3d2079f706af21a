import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type Acts, createActs } from "./acts.ts";
import type { Journal } from "./collection.ts";
import { dataFileError } from "./data-file-error.ts";
import { openDatabase } from "./open-database.ts";
import type { Collections, Journals, Records, State } from "./state.ts";

/** A file that mirrors the records of a state. */
export interface DataFile {
  /** What a state tells of every change: for `createState`. */
  readonly journals: Journals;
  /**
   * Fills an empty state with what the file holds, each kind in the order in which its records were added.
   *
   * @throws SandboxError `data_file_unusable` when the file is damaged.
   */
  load(state: State): void;
  /** Commits and closes. What is written afterwards stays in memory only, as if the process had been killed here. */
  close(): void;
}

/** A table for each kind of record, by its name. */
const kinds: readonly (keyof Records)[] = [
  "accounts",
  "applications",
  "requests",
  "messages",
  "verifications",
  "deliveries",
  "plans",
  "paces",
  "faults",
  "firings",
  "mails",
];

/**
 * Opens a data file, or creates it: a SQLite database that this process has to itself until it is closed.
 *
 * What one synchronous run of code writes is kept whole or not at all, and from the end of that run's microtasks on it
 * survives the end of the process, by `kill -9` too. After a loss of power the newest acts may be missing; what is there
 * is whole and without a gap.
 *
 * @throws SandboxError `data_file_taken` when another connection has it open; `data_file_unusable` when it is no data
 * file, one of another version, or cannot be opened.
 */
export function openDataFile(path: string): DataFile {
  // An absolute path is none of the names that mean something else to SQLite: `:memory:`, `file:data?mode=memory`.
  const absolutePath = resolve(path);
  const refuse = (cause: unknown) => dataFileError(absolutePath, cause);
  const database = openDatabase(absolutePath, kinds);
  const acts = createActs(database, refuse);

  return {
    journals: { of: (kind) => openJournal(database, kind, acts) },
    load(state) {
      try {
        for (const kind of kinds) restore(state, kind, database);
      } catch (error) {
        throw refuse(error);
      }
    },
    close() {
      if (!database.isOpen) return;
      try {
        acts.end();
      } finally {
        database.close();
      }
    },
  };
}

/** Records are kept as JSON, which drops members that are undefined: to read one that is absent gives undefined too. */
function openJournal<Item extends { readonly id: string }>(
  database: DatabaseSync,
  kind: keyof Records,
  acts: Acts,
): Journal<Item> {
  // A change keeps its row, and with it the place in the order.
  const write = database.prepare(
    `INSERT INTO ${kind} (id, record) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record`,
  );
  const erase = database.prepare(`DELETE FROM ${kind} WHERE id = ?`);
  return {
    write: (item) => acts.write(() => write.run(item.id, JSON.stringify(item))),
    erase: (id) => acts.write(() => erase.run(id)),
  };
}

function restore<Kind extends keyof Records>(collections: Collections, kind: Kind, database: DatabaseSync): void {
  collections[kind].restore(read<Records[Kind]>(database, kind));
}

function* read<Item>(database: DatabaseSync, kind: keyof Records): Iterable<Item> {
  const rows = database.prepare(`SELECT record FROM ${kind} ORDER BY sequence`).iterate();
  for (const { record } of rows) yield JSON.parse(String(record));
}
