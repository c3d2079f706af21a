import type { Store } from "@doorcode/core/store";
import type { Pool } from "pg";
import { checkKeys, checkPool } from "../check-options.ts";
import { type CleaningOptions, defaultBatch, removeExpired, startCleaning } from "./cleaning.ts";
import { incrementCounters } from "./increment.ts";
import { leaseKey } from "./lease.ts";
import { createRunner, runOnClient } from "./run-statement.ts";
import { type SettleOptions, settleKey } from "./settle.ts";
import { nameTable, type TableOptions } from "./table.ts";
import { getValues, putValue } from "./values.ts";

/** Options of {@link createPostgresStore}. */
export interface PostgresStoreOptions extends TableOptions {
  /** Your pool of pg 8. The store takes a connection for one statement at a time, and never ends the pool. */
  readonly pool: Pool;
  /**
   * After that long a verb rejects, whatever it is waiting for; 2 when left out: the two verbs of a webhook, and the
   * answer, fit into the four seconds after which the service must have been answered.
   */
  readonly timeoutSeconds?: number;
}

/** A {@link Store} on PostgreSQL, with what only a database can do. */
export interface PostgresStore extends Store {
  /**
   * As the contract has it; with `client`, as part of that client's transaction. It then runs once, without a time-out
   * of its own, and rejects with what PostgreSQL says, for the transaction to be repeated as a whole.
   */
  settle(key: string, token: string, value: string | undefined, options: SettleOptions): Promise<boolean>;
  /** Removes at most `batch` expired entries (1,000 when left out) and answers how many; fewer means that none is left. */
  removeExpired(options?: { readonly batch?: number }): Promise<number>;
  /**
   * Removes expired entries on a timer that never keeps the process alive, until the returned function is called.
   *
   * Any number of processes may do so. Without it the table grows; expired entries are invisible all the same.
   *
   * @throws TypeError for a wrong option
   */
  startCleaning(options?: CleaningOptions): () => void;
}

/**
 * Creates a store on PostgreSQL 14 or newer, shared by any number of processes; `migrate` makes its table.
 *
 * Each verb is one statement in a transaction of its own, so what was counted survives a rollback of yours, and every
 * lifetime runs on the clock of the database. A verb rejects when PostgreSQL cannot carry it out in time, with
 * `store_unavailable` after `timeoutSeconds` and where the table is missing; it may have been carried out all the same.
 *
 * @throws TypeError when an option is missing or wrong
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * import { createPostgresStore, migrate } from "@doorcode/postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * await migrate(pool);
 * const doorcode = createDoorcode({ store: createPostgresStore({ pool }) });
 */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  checkKeys("createPostgresStore", options, ["pool", "schema", "table", "timeoutSeconds"]);
  const { pool, timeoutSeconds = 2 } = options;
  checkPool("createPostgresStore", pool);
  if (!(timeoutSeconds > 0 && timeoutSeconds <= 60)) {
    throw new TypeError("createPostgresStore: timeoutSeconds must be above 0 and at most 60.");
  }
  const table = nameTable(options);
  const run = createRunner(pool, timeoutSeconds);

  return {
    get: (keys) => getValues(run, table, keys),
    put: (key, value, { ttlSeconds }) => putValue(run, table, key, value, ttlSeconds),
    increment: (changes) => incrementCounters(run, table, changes),
    lease: (key, token, leaseOptions) => leaseKey(run, table, key, token, leaseOptions),
    async settle(key, token, value, settleOptions) {
      const { client } = settleOptions;
      const statement = settleKey(table, key, token, value, settleOptions);
      const rows = await (client ? runOnClient(client, statement) : run(statement));
      return rows.length === 1;
    },
    async removeExpired({ batch = defaultBatch } = {}) {
      return removeExpired(run, table, batch);
    },
    startCleaning: (cleaning = {}) => startCleaning(run, table, cleaning),
  };
}
