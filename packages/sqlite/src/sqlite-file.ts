import { accessSync, closeSync, constants, existsSync, openSync, statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Synchronous } from "./options.ts";
import { migrations } from "./schema.ts";
import { codeOf } from "./transactions.ts";

/** "Door" in ASCII: it marks a file as one of this package. */
const applicationId = 0x446f6f72;
/** The version of the tables. A newer package writes a higher one. */
const schemaVersion = migrations.length;

/** The numbers with which Linux names file systems that other machines share. Locks and shared memory of SQLite do not reach them. */
const networkFileSystems: readonly number[] = [
  ...[0x6969, 0x517b, 0xfe534d42, 0xff534d42], // NFS; SMB, SMB 2, CIFS
  ...[0xc36400, 0x5346414f, 0x6b414653, 0x73757245], // Ceph; AFS, AFS of the kernel, Coda
  ...[0x1161970, 0x7461636f, 0xbd00bd0, 0x47504653, 0x19830326], // GFS2, OCFS2; Lustre, GPFS, BeeGFS
];

/**
 * Opens the file of a store or an inbox, and creates it if it is absent or empty: readable by its owner alone. A file of an older version
 * gets the tables of this one; a file that is not of this package is never changed. The error for a file that cannot be used names the
 * `caller` and says what to do.
 *
 * @throws Error for a file that is foreign, damaged, newer than this package, read-only, readable by others, no regular file, or on a
 * network file system; it says what to do
 */
export function openFile(caller: string, given: string, synchronous: Synchronous): DatabaseSync {
  const file = resolve(given);
  try {
    // A link may lead to another file system than its folder.
    refuseNetwork(existsSync(file) ? file : dirname(file));
    if (existsSync(file)) refuseUnsafe(file);
    else closeSync(openSync(file, "a", 0o600));
    if (statSync(file).size > 0) checkOwner(file);
    return openChecked(file, synchronous);
  } catch (error) {
    throw explain(`${caller}: ${file}`, error);
  }
}

function openChecked(file: string, synchronous: Synchronous): DatabaseSync {
  const database = new DatabaseSync(file);
  // Several processes may open a new file at the same time. Only this first moment blocks the process.
  database.exec(`PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
  database.exec("BEGIN IMMEDIATE");
  const version = numberOf(database, "user_version");
  if (version < schemaVersion) {
    for (const step of migrations.slice(version)) database.exec(step);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
  }
  database.exec("COMMIT");
  // The log is emptied by the transactions of the store: see transactions.ts.
  database.exec("PRAGMA busy_timeout = 0; PRAGMA wal_autocheckpoint = 0");
  return database;
}

/** Refuses a file of another program or of a newer package. It is opened for reading, so that nothing changes it. */
function checkOwner(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.exec("PRAGMA busy_timeout = 5000");
    const tables = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get();
    const owner = numberOf(database, "application_id");
    // Another process has just created it.
    const isNew = owner === 0 && tables?.tables === 0;
    if (owner !== applicationId && !isNew) throw new FileMistake("belongs to another program: name a file of its own");
    if (numberOf(database, "user_version") > schemaVersion) {
      throw new FileMistake("was written by a newer @doorcode/sqlite: update the package");
    }
  } finally {
    database.close();
  }
}

function numberOf(database: DatabaseSync, pragma: "application_id" | "user_version"): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

function refuseUnsafe(file: string): void {
  // SQLite would open a file that is read-only, and refuse each write.
  accessSync(file, constants.W_OK);
  const stat = statSync(file);
  if (!stat.isFile()) throw new FileMistake("is no regular file: name another path");
  const isOpen = process.platform !== "win32" && (stat.mode & 0o077) !== 0;
  if (isOpen) throw new FileMistake("can be read by others: run chmod 600 on it, or name another file");
}

function refuseNetwork(place: string): void {
  const isShared = process.platform === "linux" && networkFileSystems.includes(statfsSync(place).type);
  if (isShared) throw new FileMistake("is on a network file system, where SQLite fails: name a file on a local disk");
}

/** What is wrong with a file. */
class FileMistake extends Error {}

/** The primary result codes of SQLite for a file that is no database, or a damaged one. */
const damaged: readonly number[] = [11, 26];

function explain(place: string, error: unknown): Error {
  if (error instanceof FileMistake) return new Error(`${place} ${error.message}.`);
  if (damaged.includes(codeOf(error) ?? 0)) {
    const message = `${place} is damaged or no SQLite file: restore it from a copy, or name another file.`;
    return new Error(message, { cause: error });
  }
  return new Error(`${place} cannot be opened: check the path and its rights.`, { cause: error });
}
