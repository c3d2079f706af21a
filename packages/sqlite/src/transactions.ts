import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { types } from "node:util";
import { DoorcodeError, isDoorcodeError } from "@doorcode/core";
import { type Clock, wait } from "@doorcode/core/store";

/** Runs work in transactions of a file. */
export interface Transactions {
  readonly database: DatabaseSync;
  /**
   * Runs work that no other process interrupts. While another process writes, the call waits without blocking this one. Calls of this
   * process run in their order.
   * @throws DoorcodeError `store_unavailable` if others have the file for longer than the time-out, if the file cannot be written, if its
   * path leads to another file by now, or after `close`. Nothing was written then.
   */
  run<Result>(work: () => Result): Promise<Result>;
  /** Runs work that only reads, and waits for no writer. @throws as `run` */
  read<Result>(work: () => Result): Promise<Result>;
  close(): void;
}

/** SQLITE_BUSY: another process has the file. */
const busy = 5;
/** Another process has the file for a fraction of a millisecond. Pauses differ, so that two processes do not meet again. */
const pauseMilliseconds = { min: 1, max: 3 };
/** So many calls after one another look at the size of the log (`-wal`), and empty it from this size on. */
const log = { callsPerLook: 64, maxBytes: 4 * 1024 * 1024 };

/** Creates the transactions of an open file. */
export function createTransactions(
  database: DatabaseSync,
  file: string,
  clock: Clock,
  timeoutSeconds: number,
): Transactions {
  const refuseReplaced = createReplacementCheck(resolve(file));
  const emptyLargeLog = createLogCleaner(database);
  let last: Promise<unknown> = Promise.resolve();

  function inTransaction<Result>(work: () => Result): Result {
    // Before the work: a disk that fails now leaves nothing written.
    emptyLargeLog();
    database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      database.exec("COMMIT");
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  const newDeadline = () => clock.now() + timeoutSeconds * 1000;

  async function whenFree<Result>(work: () => Result, deadline = newDeadline()): Promise<Result> {
    for (;;) {
      if (!database.isOpen) throw unavailable("The store was closed: create another one.");
      refuseReplaced();
      try {
        return work();
      } catch (error) {
        // The work has judged an error itself.
        if (isDoorcodeError(error)) throw error;
        if (codeOf(error) !== busy) throw unavailable("The file of the store could not be read or written.", error);
        const message = `Other processes have the file of the store for longer than ${timeoutSeconds} s.`;
        if (clock.now() >= deadline) throw unavailable(message, error);
      }
      const { min, max } = pauseMilliseconds;
      await wait(clock, min + Math.random() * (max - min));
    }
  }

  return {
    database,
    run(work) {
      const deadline = newDeadline();
      // One call waits for the file, and the others for it: a later one would take the file again and again, and the first never.
      const result = last.then(() => whenFree(() => inTransaction(work), deadline));
      last = result.catch(() => undefined);
      return result;
    },
    read: (work) => whenFree(work),
    close: () => database.isOpen && database.close(),
  };
}

/** Creates a check that the path still leads to the same file. Another process would go on with the new file, and this one with the old one. */
function createReplacementCheck(path: string): () => void {
  const opened = identityOf(path);
  return () => {
    if (identityOf(path) === opened) return;
    throw unavailable("The file of the store was removed or replaced: restart the app.");
  };
}

/** Creates a function that empties a large log. SQLite's checkpoint empties no log to which others write, so it would grow without end. */
function createLogCleaner(database: DatabaseSync): () => void {
  let calls = 0;
  return () => {
    if (++calls % log.callsPerLook > 0 || statSync(`${database.location()}-wal`).size < log.maxBytes) return;
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  };
}

/** Returns what tells a file from another one at the same path, or `undefined` if there is none, or none that can be reached. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}

function unavailable(message: string, cause?: unknown): DoorcodeError {
  return new DoorcodeError("store_unavailable", { message, cause });
}

/** Returns the primary result code of an error of SQLite. A thrown proxy is not read, because it may throw then. */
export function codeOf(error: unknown): number | undefined {
  return types.isNativeError(error) && "errcode" in error ? Number(error.errcode) & 0xff : undefined;
}
