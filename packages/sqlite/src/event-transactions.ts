import type { DatabaseSync } from "node:sqlite";
import { types } from "node:util";
import { DoorcodeError, isDoorcodeError } from "@doorcode/core";
import type { EventTransactions, SettleFunction } from "@doorcode/core/inbox";
import { orAborted, parseOptions, strictOptions } from "@doorcode/core/store";
import { z } from "zod";
import type { SqliteStore } from "./sqlite-store.ts";
import { codeOf } from "./transactions.ts";

/** Writes to the file. It must be done when it returns. */
type Write = (database: DatabaseSync) => void;

/** The members that `createEventTransactions` adds to the context of a handler. */
export interface EventTransactionScope {
  /**
   * Hands over writes, which run after the handler has returned: in the transaction that marks the event as handled, in the order of the
   * calls. What they write takes effect exactly once; if one of them throws, nothing is written and the handler has failed.
   *
   * @param work - writes with the store's connection. It may read there first. It is no async function, and leaves BEGIN, COMMIT and
   * ROLLBACK to the kit. If it returned a promise, the transaction would end before the writes.
   */
  write(work: Write): void;
}

/** Options of {@link createEventTransactions}. */
export interface EventTransactionsOptions {
  /** The store that you also give to `createDoorcode`: it marks the events as handled. Your tables are in its file. */
  readonly store: SqliteStore;
}

const expectedStore = 'expected the store of createSqliteStore({ file: "./doorcode.sqlite" })';
/** Other stores would not run the writes. */
const storeOption = z.custom<SqliteStore>((value) => typeof Object(value).file === "string", expectedStore);
const optionsShape = strictOptions({ store: storeOption }, "{ store }");

/** Primary result codes of SQLite for a file that cannot be used: busy, no memory, read-only, input and output, damaged, full, gone, foreign. */
const failures: readonly number[] = [5, 7, 8, 10, 11, 13, 14, 26];

/**
 * Marks events as handled in the transaction of the handler's own writes, for `createDoorcode({ webhooks: { transactions } })`. With an
 * inbox or without, in any number of processes of this machine.
 *
 * SQLite lets one process write at a time, so no transaction stays open while a handler runs: every login of the machine would wait for
 * it. The handler does its asynchronous work first, and hands its writes over with `write`. They run together when it has returned, in a
 * moment, if its process still holds the event. Effects elsewhere may happen again.
 *
 * @throws TypeError when an option is missing or wrong.
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * import { createEventTransactions, createSqliteStore } from "@doorcode/sqlite";
 *
 * const store = createSqliteStore({ file: "./doorcode.sqlite" });
 * const doorcode = createDoorcode({
 *   store,
 *   service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
 *   webhooks: {
 *     secret: process.env.WEBHOOK_SECRET,
 *     transactions: createEventTransactions({ store }),
 *     on: {
 *       "message.status.update": ({ key }, { write }) =>
 *         write((database) => void database.prepare("INSERT INTO changes VALUES (?)").run(key)),
 *     },
 *   },
 * });
 */
export function createEventTransactions(options: EventTransactionsOptions): EventTransactions<EventTransactionScope> {
  const { store } = parseOptions("createEventTransactions", optionsShape, options);
  return {
    store,
    run(work, signal) {
      const writes: Write[] = [];
      let isOver = false;
      const write = (given: Write) => {
        if (isOver) throw new TypeError("write: the handler has returned. Wait for all work before you return.");
        writes.push(given);
      };
      // The kit settles last, so the transaction may end here. Work that lost its lease does not settle, and has written nothing.
      const settle: SettleFunction = async (key, token, value, settleOptions) => {
        isOver = true;
        const writeAll: Write = (database) => {
          signal.throwIfAborted();
          for (const given of writes) runWithin(database, given);
        };
        return store.settle(key, token, value, { ...settleOptions, write: writeAll }).catch(rethrow);
      };
      return orAborted(signal, work({ write }, settle));
    },
  };
}

/** Runs writes, and refuses those whose transaction is another one afterwards: the event's record or the writes would be missing. */
function runWithin(database: DatabaseSync, write: Write): void {
  database.exec("SAVEPOINT doorcode_write");
  const result = runOne(database, write);
  if (result instanceof Promise) {
    // Its error would end the process.
    result.catch(() => undefined);
    throw failed("write() was given an async function. Await everything before, and hand over a plain function");
  }
  try {
    database.exec("RELEASE doorcode_write");
  } catch (cause) {
    throw failed(
      "the handler ended its transaction. Leave BEGIN, COMMIT and ROLLBACK to the kit, or use a SAVEPOINT",
      cause,
    );
  }
}

/** Tells writes that are refused from a file that cannot be used: a handler whose writes are refused must not run forever. */
function runOne(database: DatabaseSync, write: Write): unknown {
  try {
    return write(database);
  } catch (error) {
    throw failures.includes(codeOf(error) ?? 0) ? error : failed(reasonOf(error), error);
  }
}

function failed(why: string, cause?: unknown): DoorcodeError {
  return new DoorcodeError("handler_failed", { message: `The writes of the handler were refused: ${why}.`, cause });
}

/** The kit takes its own error for one that the store has published, which is not so here. */
function rethrow(error: unknown): never {
  if (!isDoorcodeError(error) || error.code !== "store_unavailable") throw error;
  const { message, cause } = error;
  // A deferred constraint is checked at the end of the transaction.
  throw codeOf(cause) === constraint ? failed(reasonOf(cause), cause) : new Error(message, { cause });
}

/** The primary result code of SQLite for a violated constraint. */
const constraint = 19;

/** Extended result codes of SQLite whose messages name a table and its columns: CHECK, FOREIGN KEY, NOT NULL, PRIMARY KEY, UNIQUE. */
const constraints: readonly unknown[] = [275, 787, 1299, 1555, 2067];

/** Other messages, such as that of a trigger or of the app's own error, may quote values. */
function reasonOf(error: unknown): string {
  const isSqlite = types.isNativeError(error) && "errcode" in error && "errstr" in error;
  if (!isSqlite) return "write() was given work that threw an error";
  return constraints.includes(error.errcode) ? error.message : `SQLite says "${error.errstr}"`;
}
