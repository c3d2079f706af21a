import { DoorcodeError, type EventTransactions, type Settle } from "@doorcode/core";
import type { Pool, PoolClient } from "pg";
import type { PostgresStore } from "./postgres-store.ts";
import { AbortedTransaction, inTransaction } from "./transaction.ts";

/** What `createEventTransactions` adds to the context of a handler. */
export interface TransactionScope {
  /**
   * A client inside the transaction that marks the event as handled: what is written with it stands exactly once. Leave
   * `BEGIN`, `COMMIT` and `release` alone.
   */
  readonly client: PoolClient;
}

/** Options of {@link createEventTransactions}. */
export interface EventTransactionsOptions {
  /** Your pool of the database in which the store is: one connection for each handler at work. */
  readonly pool: Pool;
  readonly store: PostgresStore;
}

/** The transaction is aborted, and takes no more statements. */
const aborted = "25P02";

/**
 * Runs each webhook handler in the transaction that marks its event as handled, for
 * `createDoorcode({ webhooks: { transactions } })`. With an inbox or without, in any number of processes.
 *
 * What the handler writes with `client` stands exactly once: the transaction is rolled back when the handler fails, its
 * process dies, or another process took the event over. The transaction is open as long as the handler works, so it
 * should do nothing but write. Whatever it does elsewhere may happen again.
 *
 * @throws TypeError when an option is missing.
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
export function createEventTransactions({
  pool,
  store,
}: EventTransactionsOptions): EventTransactions<TransactionScope> {
  if (typeof pool?.connect !== "function" || typeof store?.settle !== "function") {
    throw new TypeError(
      "createEventTransactions: pass a `new Pool({ … })` of pg, and the store of createPostgresStore.",
    );
  }
  return {
    async run(work) {
      try {
        return await inTransaction(pool, async (client) => {
          const settle: Settle = (key, token, value, options) =>
            store.settle(key, token, value, { ...options, client });
          const settled = await work({ client }, settle);
          return { commit: settled, result: settled };
        });
      } catch (error) {
        throw explain(error);
      }
    },
  };
}

/** A handler that passes over a failed statement would otherwise be tried for ever, as if the database were away. */
function explain(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const cause = code === aborted ? new AbortedTransaction(error) : error;
  if (!(cause instanceof AbortedTransaction)) return error;
  return new DoorcodeError("handler_failed", { message: cause.message, cause });
}
