import { chmodSync, writeFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { SandboxError } from "../sandbox-error.ts";
import { dataFileError, foreignFile, foreignVersion } from "./data-file-error.ts";
import { loadSqlite } from "./sqlite.ts";

/** "door" in ASCII: tells a data file from the database of any other program. */
const applicationId = 0x646f6f72;

/** The form of the records and tables. It is raised whenever either changes, and files of other versions are refused. */
const version = 1;

/** How long a program that is just closing the file may take. */
const lockWaitMilliseconds = 200;

/**
 * Opens or creates the database of a data file, with the given tables, for this process alone.
 *
 * Nobody but its owner may read the file: it holds codes and keys. What a refused file holds is left as it was.
 *
 * @param path - absolute.
 * @throws SandboxError `data_file_taken` when another connection has it open; `data_file_unusable` when it cannot be
 * opened, is not ours, or is of another version.
 */
export function openDatabase(path: string, tables: readonly string[]): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  let database: DatabaseSync | undefined;
  try {
    createPrivately(path);
    database = new DatabaseSync(path, { timeout: lockWaitMilliseconds });
    prepare(database, path, tables);
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof SandboxError ? error : dataFileError(path, error);
  }
}

/** SQLite would create it for everybody to read; what lies beside the file while it is open gets the same mode. */
function createPrivately(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

function prepare(database: DatabaseSync, path: string, tables: readonly string[]): void {
  // The lock is then kept until the database is closed or the process ends, however it ends.
  database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  if (isEmpty(database)) createTables(database, tables);
  else if (read(database, "PRAGMA application_id") !== applicationId) throw foreignFile(path);
  else if (read(database, "PRAGMA user_version") !== version) throw foreignVersion(path);
  database.exec("COMMIT");
  // By path: closing a descriptor of the file would end every lock that this process has on it.
  chmodSync(path, 0o600);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
}

function isEmpty(database: DatabaseSync): boolean {
  return read(database, "SELECT count(*) FROM sqlite_schema") === 0 && read(database, "PRAGMA application_id") === 0;
}

function createTables(database: DatabaseSync, tables: readonly string[]): void {
  for (const table of tables) {
    database.exec(
      `CREATE TABLE ${table} (sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, record TEXT NOT NULL) STRICT`,
    );
  }
  database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`);
}

/** The single value that a statement answers. */
function read(database: DatabaseSync, statement: string): unknown {
  return Object.values(database.prepare(statement).get() ?? {})[0];
}
