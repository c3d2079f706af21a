import { DoorcodeError } from "@doorcode/core";
import {
  createPollingInbox,
  type Inbox,
  type InboxEntries,
  type PollingInboxOptions,
  pollingInboxOptions,
} from "@doorcode/core/inbox";
import { type Clock, clockOption, parseOptions, strictOptions } from "@doorcode/core/store";
import type { Pool } from "pg";
import { createRunner } from "../connection/run-statement.ts";
import { nameOption, poolOption } from "../options.ts";
import { nameOf } from "../sql.ts";
import type { PostgresStore } from "../store/postgres-store.ts";
import { type CleaningOptions, cleaningOptions, removeExpired, startCleaning } from "../table/cleaning.ts";
import { defaultInboxTable, type TableOptions } from "../table/migration.ts";
import {
  addEntry,
  countEntries,
  discardEntry,
  findDeadLetters,
  listDeadLetters,
  renewEntries,
  replayEntry,
  settleEntry,
  takeEntries,
} from "./inbox-entries.ts";

/** Options of {@link createPostgresInbox}. */
export interface PostgresInboxOptions extends PollingInboxOptions, CleaningOptions, Pick<TableOptions, "schema"> {
  /**
   * Your pool of pg 8, but not the one whose connections handlers hold. The inbox takes a connection for one statement
   * at a time, and never ends the pool.
   */
  readonly pool: Pool;
  /** The name of the table. Default: `doorcode_inbox`. */
  readonly table?: string;
  /** The clock of all waiting; entries use the clock of the database. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** An {@link Inbox} on PostgreSQL, with an additional method. */
export interface PostgresInbox extends Inbox, Pick<PostgresStore, "removeExpired"> {}

const optionsShape = strictOptions(
  {
    pool: poolOption,
    schema: nameOption.optional(),
    table: nameOption.default(defaultInboxTable),
    ...pollingInboxOptions,
    clock: clockOption,
    ...cleaningOptions,
  },
  "{ pool: new Pool() }",
);

/** The time limit of a function. A delivery has been answered long before, and a worker asks again. */
const timeoutSeconds = 10;

/**
 * Creates an inbox on PostgreSQL 14 or newer, for `createDoorcode({ webhooks: { inbox } })`; `migrate` creates its table.
 *
 * An event is acknowledged when its row is committed. Each function is one statement, and rejects as the functions of the store do. `work`
 * rejects with `store_unavailable` while the table cannot be read.
 *
 * An event that no worker takes for 90 days expires. Expired entries are removed once a minute, in every process that has an inbox, until
 * it is closed.
 *
 * @throws TypeError when an option is missing or wrong.
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * import { createPostgresInbox, createPostgresStore, migrate } from "@doorcode/postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * await migrate(pool);
 * const doorcode = createDoorcode({
 *   store: createPostgresStore({ pool }),
 *   service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
 *   webhooks: { secret: process.env.WEBHOOK_SECRET, inbox: createPostgresInbox({ pool }) },
 * });
 * const worker = await doorcode.work();
 */
export function createPostgresInbox(options: PostgresInboxOptions): PostgresInbox {
  const checked = parseOptions("createPostgresInbox", optionsShape, options);
  const table = nameOf(checked.schema, checked.table);
  const { run } = createRunner({ ...checked, timeoutSeconds });
  const deps = { run, table, takeOverSeconds: checked.takeOverSeconds };
  const stopCleaning = startCleaning({ ...checked, run, table });
  let isClosed = false;

  const entries: InboxEntries = {
    add: (entry) => addEntry(deps, entry),
    take: (room) => takeEntries(deps, room),
    renew: (held) => renewEntries(deps, held),
    settle: (held, outcome) => settleEntry(deps, held, outcome),
    deadLetters: (limit) => listDeadLetters(deps, limit),
    findDeadLetters: (keys) => findDeadLetters(deps, keys),
    replay: (key) => replayEntry(deps, key),
    discard: (key) => discardEntry(deps, key),
    counts: () => countEntries(deps),
    async check() {
      await listDeadLetters(deps, 1).catch(refuseToWork);
    },
    async close() {
      isClosed = true;
      await stopCleaning();
    },
  };

  return {
    ...createPollingInbox({ ...checked, entries }),
    async removeExpired(removal) {
      if (isClosed) throw new TypeError("The inbox was closed: create another one.");
      return removeExpired(run, table, removal);
    },
  };
}

function refuseToWork(error: unknown): never {
  const message = "The inbox cannot be read: check that PostgreSQL answers, and that `await migrate(pool)` was run.";
  throw new DoorcodeError("store_unavailable", { message, cause: error });
}
