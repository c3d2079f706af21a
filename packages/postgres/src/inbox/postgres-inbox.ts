import { DoorcodeError } from "@doorcode/core";
import { createWakeUp, type Inbox, type WakeUp } from "@doorcode/core/inbox";
import { createRunner } from "../connection/run-statement.ts";
import { type RemovalOptions, removeExpired, startCleaning } from "../table/cleaning.ts";
import { quoteTable } from "../table/table.ts";
import { createAddEntry } from "./add-entry.ts";
import { type InboxDeps, listDeadLetters, replayEntry } from "./inbox-entries.ts";
import { checkInboxOptions, type PostgresInboxOptions } from "./inbox-options.ts";
import { startInboxWorker } from "./inbox-worker.ts";
import { createSettleEntry } from "./settle-entry.ts";

/** The time limit of a function. A delivery has been answered long before, and a worker asks again. */
const timeoutSeconds = 10;

/** An {@link Inbox} on PostgreSQL, with an additional method. */
export interface PostgresInbox extends Inbox {
  /**
   * Removes at most `batch` expired entries and resolves to their number; fewer than `batch` means that none is left. Only an
   * app that has turned `cleaning` off needs it.
   *
   * @throws TypeError for a wrong option.
   */
  removeExpired(options?: RemovalOptions): Promise<number>;
}

/**
 * Creates an inbox on PostgreSQL 14 or newer, for `createDoorcode({ webhooks: { inbox } })`; `migrate` creates its table.
 *
 * An event is acknowledged when its row is committed. Each function is one statement, and rejects as the functions of the store do.
 * What is added or completed at once is one statement.
 * `work` rejects with `store_unavailable` while the table cannot be read.
 *
 * An event that no worker takes for 90 days expires. Expired entries are removed once a minute, in every process that has an
 * inbox, until it is closed or the pool ends.
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
  const checked = checkInboxOptions(options);
  const table = quoteTable(checked.schema, checked.table, "key");
  const runner = createRunner({ ...checked, timeoutSeconds });
  const { run } = runner;
  const deps: InboxDeps = { ...checked, run, name: table.name };
  const addEntry = createAddEntry(runner, table.name);
  const settle = createSettleEntry(runner, deps);
  const wakeUps = new Set<WakeUp>();
  const stopCleaning = checked.cleaning ? startCleaning({ ...checked, run, table }) : undefined;
  let isClosed = false;

  function open(): InboxDeps {
    if (isClosed) throw new TypeError("The inbox was closed: create another one.");
    return deps;
  }

  function wakeWorkers(): void {
    for (const wakeUp of wakeUps) wakeUp.trigger();
  }

  return {
    async add(entry) {
      open();
      await addEntry(entry);
      wakeWorkers();
    },
    async work(handle, workOptions) {
      await listDeadLetters(open(), 1).catch(refuseToWork);
      const wakeUp = createWakeUp(checked.clock);
      const worker = startInboxWorker({ ...deps, settle }, handle, workOptions, wakeUp);
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
    async removeExpired(removal = {}) {
      open();
      return removeExpired(run, table, removal);
    },
    async close() {
      isClosed = true;
      stopCleaning?.();
    },
  };
}

function refuseToWork(error: unknown): never {
  const message = "The inbox cannot be read: check that PostgreSQL answers, and that `await migrate(pool)` was run.";
  throw new DoorcodeError("store_unavailable", { message, cause: error });
}
