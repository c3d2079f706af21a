import { DoorcodeError, isDoorcodeError } from "@doorcode/core";
import type { EventTransactions, SettleFunction } from "@doorcode/core/inbox";
import type { Pool, PoolClient } from "pg";
import { checkKeys, checkPool } from "./check-options.ts";
import { surviveIdleErrors } from "./connection/check-out.ts";
import { type Completion, createCompletion } from "./connection/completion.ts";
import { isConflict, pauseAfterConflict } from "./connection/conflict.ts";
import { AbortedTransaction, inTransaction } from "./connection/transaction.ts";
import type { PostgresStore } from "./store/postgres-store.ts";

/** What `createEventTransactions` adds to the context of a handler. */
export interface TransactionScope {
  /**
   * A client inside the transaction that marks the event as handled: what is written with it stands exactly once. Leave
   * `BEGIN`, `COMMIT`, `ROLLBACK` and `release` alone.
   */
  readonly client: PoolClient;
}

/** Options of {@link createEventTransactions}. */
export interface EventTransactionsOptions {
  /** Your pool of the database in which the store is: one connection for each handler at work. */
  readonly pool: Pool;
  /** The store that `createDoorcode` is given too: an event is marked there. */
  readonly store: PostgresStore;
  /**
   * After that long the end of a transaction is waited for no longer: once the handler is done, the mark and COMMIT. Above 0,
   * and at most 60; 10 when left out.
   */
  readonly timeoutSeconds?: number;
}

/** How often a handler runs at most that meets others again and again; then it failed, and its event comes again. */
const maxTries = 5;

/** The transaction is aborted, and takes no more statements. */
const aborted = "25P02";

/**
 * The classes of errors with which PostgreSQL refuses what was done in a transaction, and has rolled it back: data,
 * constraints (also deferred ones, at COMMIT), the state of the transaction (also idle for too long), conflicts with
 * others, views with CHECK, and what a trigger raises. The others, such as a server that shuts down, are no fault of a handler.
 */
const refusals: readonly string[] = ["22", "23", "25", "40", "44", "P0"];

/**
 * Runs each webhook handler in the transaction that marks its event as handled, for
 * `createDoorcode({ webhooks: { transactions } })`. With an inbox or without, in any number of processes.
 *
 * What the handler writes with `client` stands exactly once: the transaction is rolled back when the handler fails, its
 * process dies, another process took the event over, or its limit (`handlerSeconds`) is over: its connection is closed
 * then, whatever it still does. The transaction is open as long as the handler works, so it should do nothing but write.
 * Whatever it does elsewhere may happen again. It is READ COMMITTED, unless the first statement of the handler is a
 * `SET TRANSACTION ISOLATION LEVEL`; such a handler must be done within 5 seconds. A handler one of whose statements meets a
 * deadlock or a serialization failure is run again at once, in another transaction.
 *
 * @throws TypeError when an option is missing or wrong.
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * import { createPostgresStore, createEventTransactions } from "@doorcode/postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * const store = createPostgresStore({ pool: new Pool({ connectionString: process.env.DATABASE_URL, max: 5 }) });
 * const doorcode = createDoorcode({
 *   store,
 *   webhooks: {
 *     secret: process.env.WEBHOOK_SECRET,
 *     transactions: createEventTransactions({ pool, store }),
 *     on: {
 *       "message.status.update": async ({ data }, { client }) => {
 *         await client.query("UPDATE messages SET status = $1 WHERE id = $2", [data.status, data.message_id]);
 *       },
 *     },
 *   },
 * });
 */
export function createEventTransactions(options: EventTransactionsOptions): EventTransactions<TransactionScope> {
  checkKeys("createEventTransactions", options, ["pool", "store", "timeoutSeconds"]);
  const { pool, store, timeoutSeconds = 10 } = options;
  checkPool("createEventTransactions", pool);
  if (typeof store?.settle !== "function" || typeof store.removeExpired !== "function") {
    throw new TypeError("createEventTransactions: store is missing, or none of createPostgresStore({ pool }).");
  }
  if (!(timeoutSeconds > 0 && timeoutSeconds <= 60)) {
    throw new TypeError("createEventTransactions: timeoutSeconds must be above 0 and at most 60.");
  }
  surviveIdleErrors(pool);
  return {
    store,
    async run(work, signal) {
      let isDone = false;
      const attempt = (completion: Completion) => async (client: PoolClient) => {
        const settle: SettleFunction = async (key, token, value, options) => {
          // From then on nobody renews the lease, nor gives the handler up at its limit: it is not run again.
          isDone = true;
          completion.begin();
          refuseEnded(client);
          return store.settle(key, token, value, { ...options, client });
        };
        // Work that found its lease lost does not settle, and is rolled back.
        const settled = await work({ client }, settle).finally(completion.begin);
        return { commit: settled, result: settled };
      };
      for (let tries = 1; ; tries++) {
        const completion = createCompletion(signal, timeoutSeconds);
        try {
          return await inTransaction(pool, attempt(completion), completion.signal);
        } catch (error) {
          const again = isConflict(error) && !isDone && !signal.aborted && tries < maxTries;
          if (!again) throw explain(error);
        } finally {
          completion.clear();
        }
        await pauseAfterConflict();
      }
    },
  };
}

/** After a COMMIT or ROLLBACK of the handler's own, the mark would stand without its writes, or they without the mark. */
function refuseEnded(client: PoolClient): void {
  // Early versions of pg 8 cannot tell.
  if (client.getTransactionStatus?.() !== "I") return;
  const message = "The handler ended its transaction: leave BEGIN, COMMIT and ROLLBACK to the kit, or use a SAVEPOINT.";
  throw new DoorcodeError("handler_failed", { message });
}

/** A handler whose writes are refused would otherwise be tried for ever, as if the database were away. */
function explain(error: unknown): unknown {
  // An error of the kit's own counts as told by the store, which this connection does not belong to.
  if (isDoorcodeError(error) && error.code === "store_unavailable") return new Error(error.message, { cause: error });
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const cause = code === aborted ? new AbortedTransaction(error) : error;
  if (cause instanceof AbortedTransaction)
    return new DoorcodeError("handler_failed", { message: cause.message, cause });
  if (code.length !== 5 || !refusals.includes(code.slice(0, 2))) return error;
  // Names alone: what PostgreSQL says about them quotes values.
  const constraint = error instanceof Error && "constraint" in error ? ` ${String(error.constraint)}` : "";
  const message = `PostgreSQL rolled the transaction of the handler back: SQLSTATE ${code}${constraint}.`;
  return new DoorcodeError("handler_failed", { message, cause: error });
}
