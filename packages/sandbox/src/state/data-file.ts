import { chmodSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { SandboxError } from "../primitives/errors.ts";
import type { Journal } from "./collection.ts";
import type { Collections, Records, State } from "./state.ts";

/** A file that mirrors the records of a state. */
export interface DataFile {
  /** Returns the journal of one kind of records, for `createState`. */
  journalOf<Kind extends keyof Records>(kind: Kind): Journal<Records[Kind]>;
  /**
   * Loads the records of the file into an empty state, each kind in the order in which they were added.
   *
   * @throws SandboxError `data_file_unusable` when the file is damaged. It is closed then
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
        // The lock would make the next start say that the file is in use.
        database.close();
        throw resultCodeOf(error) === undefined ? foreignFileError(absolutePath, error) : toError(error);
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

/**
 * Creates the write batches of a database: one transaction for each synchronous run of code. The first write begins a
 * transaction and queues a microtask that commits it, so the batch is in the file before any answer that depends on it can
 * leave the process.
 *
 * When a write fails, for example because the disk is full, the batch is rolled back. Memory and file then differ for
 * good. The error is thrown from the microtask, where nothing can catch it, so that the process ends with the last
 * complete batch in the file. In a program that survives this, every later write throws the same error.
 */
function createWriteBatches(database: DatabaseSync, toError: (cause: unknown) => Error) {
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
    write(write: () => void) {
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

/** "door" in ASCII. It distinguishes a data file from the databases of other programs. */
const applicationId = 0x646f6f72;

/** The format of the records and tables. Increase it with every change of either: files of other versions are refused. */
const version = 4;

/** Primary result codes of SQLite. The low byte of an extended result code is its primary code. */
const busy = 5;
const corrupt = 11;
const notADatabase = 26;

/** Time that another program has to finish closing the file. */
const lockWaitMilliseconds = 200;

/**
 * Opens or creates the database of a data file and locks it for this process. A refused file is not changed.
 *
 * @param path - absolute.
 */
function openDatabase(path: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  let database: DatabaseSync | undefined;
  try {
    createPrivately(path);
    database = new DatabaseSync(path, { timeout: lockWaitMilliseconds });
    prepare(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof SandboxError ? error : dataFileError(path, error);
  }
}

/**
 * Only the owner may read the file, because it holds codes and keys. SQLite would create one that every user can read. The
 * files that SQLite creates beside this one get the same mode.
 */
function createPrivately(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

function prepare(database: DatabaseSync, path: string): void {
  // Keeps the lock until the database is closed or the process ends in any way.
  database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  if (isEmpty(database)) createTable(database);
  else if (queryValue(database, "PRAGMA application_id") !== applicationId) throw foreignFileError(path);
  else if (queryValue(database, "PRAGMA user_version") !== version) {
    throw new SandboxError(
      "data_file_unusable",
      `The data file ${path} was written by another version of the sandbox. Use that version, or remove the file.`,
    );
  }
  database.exec("COMMIT");
  // By path, because closing a file descriptor would release every lock that this process has on the file.
  chmodSync(path, 0o600);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
}

function isEmpty(database: DatabaseSync): boolean {
  return (
    queryValue(database, "SELECT count(*) FROM sqlite_schema") === 0 &&
    queryValue(database, "PRAGMA application_id") === 0
  );
}

function createTable(database: DatabaseSync): void {
  database.exec(
    "CREATE TABLE records (sequence INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, record TEXT NOT NULL, " +
      "UNIQUE (kind, id)) STRICT",
  );
  database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`);
}

function queryValue(database: DatabaseSync, statement: string): unknown {
  return Object.values(database.prepare(statement).get() ?? {})[0];
}

/** Creates the error of a data file from the error of SQLite or of the file system that caused it. */
function dataFileError(path: string, cause: unknown): SandboxError {
  const code = resultCodeOf(cause);
  if (code === busy) {
    const message = `The data file ${path} is in use. Stop the program that has it open, or choose another file.`;
    return new SandboxError("data_file_taken", message, { cause });
  }
  if (code === notADatabase || code === corrupt) return foreignFileError(path, cause);
  const message = `The data file ${path} cannot be used. Its folder must exist, be writable and have free space.`;
  return new SandboxError("data_file_unusable", message, { cause });
}

function foreignFileError(path: string, cause?: unknown): SandboxError {
  const message = `${path} is not a data file of the sandbox, or it is damaged. Choose another file, or remove this one.`;
  return new SandboxError("data_file_unusable", message, { cause });
}

function resultCodeOf(cause: unknown): number | undefined {
  if (!(cause instanceof Error && "errcode" in cause)) return undefined;
  return typeof cause.errcode === "number" ? cause.errcode & 0xff : undefined;
}

type Sqlite = typeof import("node:sqlite");

/**
 * Loads `node:sqlite`. Only a sandbox with a data file needs it.
 *
 * Node 22 warns on load that the module is experimental. This one warning is suppressed, and only while the module loads.
 * Loading is synchronous, so no other code can emit a warning at that time.
 *
 * @throws SandboxError `data_file_unusable` when this Node was built or started without the module
 */
export function loadSqlite(): Sqlite {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).startsWith("SQLite is an experimental feature")) {
      Reflect.apply(emitWarning, process, [warning, ...rest]);
    }
  };
  try {
    const sqlite: Sqlite | undefined = process.getBuiltinModule("node:sqlite");
    if (sqlite) return sqlite;
  } finally {
    process.emitWarning = emitWarning;
  }
  throw new SandboxError(
    "data_file_unusable",
    "This Node has no node:sqlite. Run the sandbox without a data file, or use another build of Node.",
  );
}
