import { type Clock, clockRule, readOptions, type Store, systemClock, withDefault } from "@doorcode/core/store";
import type { Pool } from "pg";
import { nameRule, poolRule, timeoutRule } from "../check-options.ts";
import { createRunner } from "../connection/run-statement.ts";
import {
  type CleaningOptions,
  cleaningRules,
  type RemovalOptions,
  removeExpired,
  startCleaning,
} from "../table/cleaning.ts";
import { defaultTable } from "../table/migration.ts";
import { quoteTable, type TableOptions } from "../table/table.ts";
import { createIncrementCounters } from "./increment.ts";
import { createLeaseKey } from "./lease.ts";
import { createSettleKey, type SettleOptions } from "./settle.ts";
import { createGetValues, createPutValue } from "./values.ts";

/** Options of {@link createPostgresStore}. */
export interface PostgresStoreOptions extends TableOptions, CleaningOptions {
  /** Your pool of pg 8. The store takes a connection for one statement at a time, and never ends the pool. */
  readonly pool: Pool;
  /**
   * The time after which a function rejects, also while it waits for a connection; at most 60. Default: 2, because two functions and
   * the answer to a webhook must fit into four seconds.
   */
  readonly timeoutSeconds?: number;
  /** The clock of all waiting; lifetimes and leases use the clock of the database. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** A {@link Store} on PostgreSQL, with additional methods. */
export interface PostgresStore extends Store {
  /**
   * Settles as in the contract. With `client`, it takes part in the transaction of that client: it then runs once, without
   * a time-out of its own, and rejects with PostgreSQL's error, so that you can repeat the whole transaction.
   */
  settle(key: string, token: string, value: string | undefined, options: SettleOptions): Promise<boolean>;
  /**
   * Removes at most `batch` expired entries and resolves to their number; fewer than `batch` means that none is left. Only an
   * app that has turned `cleaning` off needs it.
   *
   * @throws TypeError for a wrong option.
   */
  removeExpired(options?: RemovalOptions): Promise<number>;
}

const rules = {
  pool: poolRule,
  schema: withDefault(nameRule, undefined),
  table: withDefault(nameRule, defaultTable),
  timeoutSeconds: withDefault(timeoutRule, 2),
  clock: withDefault(clockRule, systemClock),
  ...cleaningRules,
};

/**
 * Creates a store on PostgreSQL 14 or newer, shared by any number of processes; `migrate` creates its table.
 *
 * Each function is one statement in a transaction of its own, so that a rollback of yours never undoes a count. What several
 * requests ask of one function at once is one statement. All lifetimes run on the clock of the database. A function rejects when PostgreSQL does not carry it
 * out in time: with `store_unavailable` after `timeoutSeconds` and while the table is missing. It may have been carried out all the
 * same.
 *
 * Expired entries are removed once a minute, in every process that has a store, until the pool ends.
 *
 * @throws TypeError when an option is missing or wrong.
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
  const checked = readOptions("createPostgresStore", rules, options, "{ pool: new Pool() }");
  const table = quoteTable(checked.schema, checked.table, "key_digest");
  const runner = createRunner(checked);
  const { run } = runner;
  const putValue = createPutValue(runner, table);
  if (checked.cleaning) startCleaning({ ...checked, run, table });

  return {
    get: createGetValues(runner, table),
    put: (key, value, { ttlSeconds }) => putValue(key, value, ttlSeconds),
    increment: createIncrementCounters(runner, table),
    lease: createLeaseKey(runner, table),
    settle: createSettleKey(runner, table),
    removeExpired: async (removal = {}) => removeExpired(run, table, removal),
  };
}
