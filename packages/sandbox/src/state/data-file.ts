import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Journal } from "./collection.ts";
import { dataFileError, openDatabase } from "./open-database.ts";
import type { Collections, Records, State } from "./state.ts";

/** A file that mirrors the records of a state. */
export interface DataFile {
  /** Returns the journal of one kind of records, for `createState`. */
  journalOf<Kind extends keyof Records>(kind: Kind): Journal<Records[Kind]>;
  /**
   * Loads the records of the file into an empty state, each kind in the order in which they were added.
   *
   * @throws SandboxError `data_file_unusable` when the file is damaged
   */
  load(state: State): void;
  /** Commits and closes the file. Later changes stay in memory, as if the process had been killed at this point. */
  close(): void;
}

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
  const database = openDatabase(absolutePath);
  const batches = createWriteBatches(database, toError);
  // An update keeps the row, and with it the position in the order.
  const write = database.prepare(
    "INSERT INTO records (kind, id, record) VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET record = excluded.record",
  );
  const erase = database.prepare("DELETE FROM records WHERE kind = ? AND id = ?");

  return {
    journalOf: (kind) => ({
      // JSON omits undefined members. Reading an absent member gives undefined as well.
      write: (item) => batches.write(() => write.run(kind, item.id, JSON.stringify(item))),
      erase: (id) => batches.write(() => erase.run(kind, id)),
    }),
    load(state) {
      try {
        for (const row of database.prepare("SELECT kind, record FROM records ORDER BY sequence").iterate()) {
          const kind = String(row.kind);
          if (isKind(state, kind)) restore(state, kind, JSON.parse(String(row.record)));
        }
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

function isKind(state: State, name: string): name is keyof Records {
  return Object.hasOwn(state, name);
}

function restore<Kind extends keyof Records>(state: Collections, kind: Kind, record: Records[Kind]): void {
  state[kind].restore(record);
}

/** Groups writes to a database into batches: one transaction for each synchronous run of code. */
interface WriteBatches {
  write(write: () => void): void;
  end(): void;
}

/**
 * Creates the write batches of a database. The first write begins a transaction and queues a microtask that commits it,
 * so the batch is in the file before any answer that depends on it can leave the process.
 *
 * When a write fails, for example because the disk is full, the batch is rolled back. Memory and file then differ for
 * good. The error is thrown from the microtask, where nothing can catch it, so that the process ends with the last
 * complete batch in the file. In a program that survives this, every later write throws the same error.
 */
function createWriteBatches(database: DatabaseSync, toError: (cause: unknown) => Error): WriteBatches {
  let state: "idle" | "writing" | "ended" = "idle";
  let failure: Error | undefined;

  const attempt = (step: () => void) => {
    if (failure) return;
    try {
      step();
    } catch (error) {
      failure = toError(error);
    }
  };
  const commit = () => {
    if (state !== "writing") return;
    state = "idle";
    attempt(() => database.exec("COMMIT"));
    if (!failure) return;
    if (database.isTransaction) database.exec("ROLLBACK");
    throw failure;
  };
  const begin = () => {
    state = "writing";
    queueMicrotask(commit);
    attempt(() => database.exec("BEGIN"));
  };

  return {
    write(write) {
      if (state === "ended") return;
      if (state === "idle" && failure) throw failure;
      if (state === "idle") begin();
      attempt(write);
    },
    end() {
      try {
        commit();
      } finally {
        state = "ended";
      }
    },
  };
}
