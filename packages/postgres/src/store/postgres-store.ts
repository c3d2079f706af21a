import { type Clock, clockOption, parseOptions, type Store, strictOptions } from "@doorcode/core/store";
import type { Pool } from "pg";
import { createRunner } from "../connection/run-statement.ts";
import { nameOption, poolOption, timeoutOption } from "../options.ts";
import { nameOf } from "../sql.ts";
import {
  type CleaningOptions,
  cleaningOptions,
  type RemovalOptions,
  removeExpired,
  startCleaning,
} from "../table/cleaning.ts";
import { defaultTable, type TableOptions } from "../table/migration.ts";
import { increment } from "./counters.ts";
import { get, lease, put, type SettleOptions, settle } from "./entries.ts";

/** Options of {@link createPostgresStore}. */
export interface PostgresStoreOptions extends TableOptions, CleaningOptions {
  /** Your pool of pg 8. The store takes a connection for one statement at a time, and never ends the pool. */
  readonly pool: Pool;
  /**
   * The time after which a function rejects, also while it waits for a connection; at most 60. Default: 2, because two
   * functions and the answer to a webhook must fit into four seconds.
   */
  readonly timeoutSeconds?: number;
  /** The clock of all waiting; lifetimes and leases use the clock of the database. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** A {@link Store} on PostgreSQL, with additional methods. */
export interface PostgresStore extends Store {
  /**
   * Settles as in the contract. With `client`, it takes part in the transaction of that client: it then runs once,
   * without its own time-out, and rejects with PostgreSQL's error, so that you can repeat the whole transaction.
   */
  settle(key: string, token: string, value: string | undefined, options: SettleOptions): Promise<boolean>;
  /**
   * Removes at most `batch` expired entries and resolves to their number; fewer than `batch` means that none is left.
   * Only an app that has turned `cleaning` off needs it.
   *
   * @throws TypeError for a wrong option.
   */
  removeExpired(options?: RemovalOptions): Promise<number>;
  /** Stops the removal of expired entries, and waits for the one that runs. The pool stays open, and so does the store. */
  close(): Promise<void>;
}

const optionsShape = strictOptions(
  {
    pool: poolOption,
    schema: nameOption.optional(),
    table: nameOption.default(defaultTable),
    timeoutSeconds: timeoutOption.default(2),
    clock: clockOption,
    ...cleaningOptions,
  },
  "{ pool: new Pool() }",
);

/**
 * Creates a store on PostgreSQL 14 or newer, shared by any number of processes; `migrate` creates its table.
 *
 * Each statement is its own transaction, so that a rollback of yours never undoes a count. All lifetimes run on the clock of the database.
 * A function rejects when PostgreSQL does not carry it out in time: with `store_unavailable` after `timeoutSeconds` and while the table is
 * missing. It may have been carried out all the same.
 *
 * Expired entries are removed once a minute, in every process that has a store, until `close()`, which `doorcode.close()` calls.
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
  const checked = parseOptions("createPostgresStore", optionsShape, options);
  const table = nameOf(checked.schema, checked.table);
  const { run, inTime } = createRunner(checked);
  const stopCleaning = startCleaning({ ...checked, run, table });

  return {
    get: (keys) => get(run, table, keys),
    put: (key, value, { ttlSeconds }) => put(run, table, key, value, ttlSeconds),
    increment: (changes) => inTime((run) => increment(run, table, changes)),
    lease: (key, token, options) => lease(run, table, key, token, options),
    settle: (key, token, value, options) => settle(run, table, key, token, value, options),
    removeExpired: (removal) => removeExpired(run, table, removal),
    close: stopCleaning,
  };
}
