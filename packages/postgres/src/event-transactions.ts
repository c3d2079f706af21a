import { DoorcodeError, isDoorcodeError } from "@doorcode/core";
import type { EventTransactions, SettleFunction } from "@doorcode/core/inbox";
import { type Clock, clockOption, parseOptions, strictOptions } from "@doorcode/core/store";
import type { Pool, PoolClient } from "pg";
import { z } from "zod";
import { surviveIdleErrors } from "./connection/check-out.ts";
import { isConflict, pauseAfterConflict } from "./connection/conflict.ts";
import { AbortedTransaction, inDatabaseTransaction } from "./connection/database-transaction.ts";
import { poolOption, timeoutOption } from "./options.ts";
import type { PostgresStore } from "./store/postgres-store.ts";

/** The members that `createEventTransactions` adds to the context of a handler. */
export interface EventTransactionScope {
  /**
   * A client inside the transaction that marks the event as handled: what you write with it takes effect exactly once.
   * Do not call `BEGIN`, `COMMIT`, `ROLLBACK` or `release`.
   */
  readonly client: PoolClient;
}

/** Options of {@link createEventTransactions}. */
export interface EventTransactionsOptions {
  /** Your pool of the database that holds the store. Each running handler takes one connection. */
  readonly pool: Pool;
  /** The store that you also give to `createDoorcode`: it marks the events as handled. */
  readonly store: PostgresStore;
  /**
   * The time limit for the end of a transaction, that is for the event's record and COMMIT, once its handler is done; at most 60.
   * Default: 10.
   */
  readonly timeoutSeconds?: number;
  /** The clock of all waiting. Default: the machine's clock. */
  readonly clock?: Clock;
}

const optionsShape = strictOptions(
  {
    pool: poolOption,
    store: z.custom<PostgresStore>(isPostgresStore, "expected the store of createPostgresStore({ pool })"),
    timeoutSeconds: timeoutOption.default(10),
    clock: clockOption,
  },
  "{ pool: new Pool() }",
);

/** A handler that meets a conflict that often has failed, and its event comes again later. */
const maxTries = 5;

/** An earlier statement failed, and the transaction accepts no more statements. */
const inFailedTransaction = "25P02";

/**
 * The classes of errors with which PostgreSQL refuses what was done in a transaction, after it rolled the transaction back: data,
 * constraints (also deferred ones, at COMMIT), the state of the transaction (also idle for too long), conflicts with others, views with
 * CHECK, and what a trigger raises. Other errors, such as a shutdown, are not caused by the handler.
 */
const refusals: readonly string[] = ["22", "23", "25", "40", "44", "P0"];

/**
 * Runs each webhook handler in the database transaction that marks its event as handled. Give it to `createDoorcode` as
 * `webhooks.transactions`, with an inbox or without, in any number of processes.
 *
 * Writes of the handler with `client` take effect exactly once. The transaction is rolled back when the handler fails, its process dies,
 * another process took the event over, or `handlerSeconds` are over; in the last case its connection is closed, even if the handler goes
 * on. The transaction stays open as long as the handler runs, so do nothing but write in it. Effects elsewhere may happen again.
 *
 * The isolation level is READ COMMITTED, unless the first statement of the handler is `SET TRANSACTION ISOLATION LEVEL`; a handler with
 * that statement must be done within 5 seconds. A handler whose statement meets a deadlock or a serialization failure runs again
 * immediately, in another transaction.
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
 *   service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
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
export function createEventTransactions(options: EventTransactionsOptions): EventTransactions<EventTransactionScope> {
  const checked = parseOptions("createEventTransactions", optionsShape, options);
  const { pool, store, timeoutSeconds, clock } = checked;
  surviveIdleErrors(pool);
  return {
    store,
    async run(work, signal) {
      let isMarking = false;
      for (let tries = 1; ; tries++) {
        const end = createEndLimit(clock, timeoutSeconds);
        try {
          return await inDatabaseTransaction(pool, AbortSignal.any([signal, end.signal]), (client) => {
            const settle: SettleFunction = (key, token, value, settleOptions) => {
              // From now on the lease is no longer renewed and the handler has no limit: it is not run again.
              isMarking = true;
              end.begin();
              refuseEnded(client);
              return store.settle(key, token, value, { ...settleOptions, client });
            };
            // Work that lost its lease does not settle, and is rolled back.
            return work({ client }, settle).finally(end.begin);
          });
        } catch (error) {
          const mayRepeat = isConflict(error) && !isMarking && !signal.aborted && tries < maxTries;
          if (!mayRepeat) throw explain(error);
        } finally {
          end.clear();
        }
        await pauseAfterConflict(clock);
      }
    },
  };
}

/**
 * Limits the end of a transaction. Once the work is done, its lease is no longer renewed and its signal never aborts: without this limit, a
 * lost answer would be waited for without end.
 */
function createEndLimit(clock: Clock, seconds: number) {
  const limit = new AbortController();
  let cancel: (() => void) | undefined;
  return {
    signal: limit.signal,
    /** Starts the time; only the first call counts. */
    begin(): void {
      cancel ??= clock.schedule(seconds * 1000, () => {
        const message = `PostgreSQL did not end the transaction of the handler within ${seconds} s.`;
        limit.abort(new Error(`${message} It may have been committed.`));
      });
    },
    clear: () => cancel?.(),
  };
}

function isPostgresStore(value: unknown): boolean {
  const { settle, removeExpired }: Partial<PostgresStore> = value ?? {};
  return typeof settle === "function" && typeof removeExpired === "function";
}

/** Refuses a handler that ended the transaction itself: either the event's record or its writes would be missing. */
function refuseEnded(client: PoolClient): void {
  // Early versions of pg 8 lack this method.
  if (client.getTransactionStatus?.() !== "I") return;
  const message = "The handler ended its transaction: leave BEGIN, COMMIT and ROLLBACK to the kit, or use a SAVEPOINT.";
  throw new DoorcodeError("handler_failed", { message });
}

/** Tells a refused handler from a database that is away: otherwise a handler whose writes are refused would run forever. */
function explain(error: unknown): unknown {
  // The kit takes its own error for an error of the store, which this connection does not belong to.
  if (isDoorcodeError(error) && error.code === "store_unavailable") return new Error(error.message, { cause: error });
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const cause = code === inFailedTransaction ? new AbortedTransaction(error) : error;
  if (cause instanceof AbortedTransaction)
    return new DoorcodeError("handler_failed", { message: cause.message, cause });
  if (code.length !== 5 || !refusals.includes(code.slice(0, 2))) return error;
  // The name of the constraint only: PostgreSQL's message quotes values.
  const constraint = error instanceof Error && "constraint" in error ? ` ${String(error.constraint)}` : "";
  const message = `PostgreSQL rolled the transaction of the handler back: SQLSTATE ${code}${constraint}.`;
  return new DoorcodeError("handler_failed", { message, cause: error });
}
