import type { DatabaseSync } from "node:sqlite";
import { DoorcodeError } from "@doorcode/core";
import { type Clock, wait } from "@doorcode/core/store";

/** Runs work in transactions of a file. */
export interface Transactions {
  readonly database: DatabaseSync;
  /**
   * Runs work that no other process interrupts. While another process writes, the call waits without blocking this one.
   *
   * @throws DoorcodeError `store_unavailable` if others have the file for longer than the time-out, if the file cannot be written, or
   * after `close`. Nothing was written then.
   */
  run<Result>(work: () => Result): Promise<Result>;
  /** Runs work that only reads, and waits for no writer. @throws as `run` */
  read<Result>(work: () => Result): Promise<Result>;
  close(): void;
}

/** SQLITE_BUSY: another process has the file. */
const busy = 5;
/** Another process has the file for a fraction of a millisecond. Pauses differ, so that two processes do not meet again. */
const pauseMilliseconds = { min: 1, max: 8 };

/** Creates the transactions of an open file. */
export function createTransactions(database: DatabaseSync, clock: Clock, timeoutSeconds: number): Transactions {
  function inTransaction<Result>(work: () => Result): Result {
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

  async function whenFree<Result>(work: () => Result): Promise<Result> {
    const deadline = clock.now() + timeoutSeconds * 1000;
    for (;;) {
      if (!database.isOpen) throw unavailable("The store was closed: create another one.");
      try {
        return work();
      } catch (error) {
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
    run: (work) => whenFree(() => inTransaction(work)),
    read: whenFree,
    close: () => database.isOpen && database.close(),
  };
}

function unavailable(message: string, cause?: unknown): DoorcodeError {
  return new DoorcodeError("store_unavailable", { message, cause });
}

/** Returns the primary result code of an error of SQLite. */
export function codeOf(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : undefined;
}
