import { DoorcodeError } from "@doorcode/core";
import { type Inbox, minInboxKeepSeconds } from "@doorcode/core/inbox";
import {
  type Clock,
  createWakeUp,
  parseOptions,
  secondsOption,
  strictOptions,
  type WakeUp,
  wholeNumberOption,
} from "@doorcode/core/store";
import type { Pool } from "pg";
import { createRunner } from "../connection/run-statement.ts";
import { nameOption, poolOption, waitingClockOption } from "../options.ts";
import { nameOf } from "../sql.ts";
import {
  type CleaningOptions,
  cleaningOptions,
  type RemovalOptions,
  removeExpired,
  startCleaning,
} from "../table/cleaning.ts";
import { defaultInboxTable } from "../table/migration.ts";
import { addEntry, listDeadLetters, replayEntry } from "./inbox-entries.ts";
import { startInboxWorker, type WorkerDeps } from "./inbox-worker.ts";

/** Options of {@link createPostgresInbox}. */
export interface PostgresInboxOptions extends CleaningOptions {
  /**
   * Your pool of pg 8, but not the one whose connections handlers hold. The inbox takes a connection for one statement
   * at a time, and never ends the pool.
   */
  readonly pool: Pool;
  /**
   * The schema of the table. Default: the one in which the connection's `search_path` finds it; a new table comes into
   * the first one.
   */
  readonly schema?: string;
  /** The name of the table. Default: `doorcode_inbox`. */
  readonly table?: string;
  /** The minimum time for which a handled event stays known, from 7,200 to 31,536,000 (a year). Default: 7,200. */
  readonly keepSeconds?: number;
  /** The time for which dead letters are kept, from 1 to 31,536,000 (a year). Default: 1,209,600 (14 days). */
  readonly keepDeadLettersSeconds?: number;
  /** The time after its last sign of life when a worker counts as dead, from 10 to 300. Default: 15. */
  readonly takeOverSeconds?: number;
  /** The time after which a worker with nothing to do asks for events again, from 0.05 to 60. Default: 1. */
  readonly pollSeconds?: number;
  /** The clock of all waiting; entries use the clock of the database. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** An {@link Inbox} on PostgreSQL, with an additional method. */
export interface PostgresInbox extends Inbox {
  /**
   * Removes at most `batch` expired entries and resolves to their number; fewer than `batch` means that none is left.
   * Only an app that has turned `cleaning` off needs it.
   *
   * @throws TypeError for a wrong option.
   */
  removeExpired(options?: RemovalOptions): Promise<number>;
}

const yearSeconds = 31_536_000;

const optionsShape = strictOptions(
  {
    pool: poolOption,
    schema: nameOption.optional(),
    table: nameOption.default(defaultInboxTable),
    keepSeconds: wholeNumberOption(minInboxKeepSeconds, yearSeconds).default(minInboxKeepSeconds),
    keepDeadLettersSeconds: wholeNumberOption(1, yearSeconds).default(1_209_600),
    takeOverSeconds: wholeNumberOption(10, 300).default(15),
    pollSeconds: secondsOption(0.05, 60).default(1),
    clock: waitingClockOption,
    ...cleaningOptions,
  },
  "{ pool: new Pool() }",
);

/** The time limit of a function. A delivery has been answered long before, and a worker asks again. */
const timeoutSeconds = 10;

/**
 * Creates an inbox on PostgreSQL 14 or newer, for `createDoorcode({ webhooks: { inbox } })`; `migrate` creates its
 * table.
 *
 * An event is acknowledged when its row is committed. Each function is one statement, and rejects as the functions of
 * the store do. `work` rejects with `store_unavailable` while the table cannot be read.
 *
 * An event that no worker takes for 90 days expires. Expired entries are removed once a minute, in every process that
 * has an inbox, until it is closed.
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
 *   webhooks: { secret: process.env.WEBHOOK_SECRET, inbox: createPostgresInbox({ pool }) },
 * });
 * const worker = await doorcode.work();
 */
export function createPostgresInbox(options: PostgresInboxOptions): PostgresInbox {
  const checked = parseOptions("createPostgresInbox", optionsShape, options);
  const table = nameOf(checked.schema, checked.table);
  const run = createRunner({ ...checked, timeoutSeconds });
  const deps: WorkerDeps = { ...checked, run, table };
  const stopCleaning = startCleaning({ ...checked, run, table });
  const wakeUps = new Set<WakeUp>();
  let isClosed = false;

  function open(): WorkerDeps {
    if (isClosed) throw new TypeError("The inbox was closed: create another one.");
    return deps;
  }

  function wakeWorkers(): void {
    for (const wakeUp of wakeUps) wakeUp.trigger();
  }

  return {
    async add(entry) {
      await addEntry(open(), entry);
      wakeWorkers();
    },
    async work(handle, workOptions) {
      await listDeadLetters(open(), 1).catch(refuseToWork);
      const wakeUp = createWakeUp(checked.clock);
      const worker = startInboxWorker(deps, handle, workOptions, wakeUp);
      wakeUps.add(wakeUp);
      return {
        async stop(limit) {
          wakeUps.delete(wakeUp);
          await worker.stop(limit);
        },
      };
    },
    deadLetters: async (limit) => listDeadLetters(open(), limit),
    async replay(key) {
      const isReplayed = await replayEntry(open(), key);
      wakeWorkers();
      return isReplayed;
    },
    async removeExpired(removal) {
      open();
      return removeExpired(run, table, removal);
    },
    async close() {
      isClosed = true;
      await stopCleaning();
    },
  };
}

function refuseToWork(error: unknown): never {
  const message = "The inbox cannot be read: check that PostgreSQL answers, and that `await migrate(pool)` was run.";
  throw new DoorcodeError("store_unavailable", { message, cause: error });
}
