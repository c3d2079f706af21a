import { createPollingInbox, type Inbox, type PollingInboxOptions, pollingInboxOptions } from "@doorcode/core/inbox";
import { parseOptions, strictOptions } from "@doorcode/core/store";
import { createInboxEntries } from "./inbox-entries.ts";
import { exampleOptions, fileOptions, type SqliteFileOptions, type Synchronous } from "./options.ts";
import { openFile } from "./sqlite-file.ts";
import { createTransactions } from "./transactions.ts";

/** Options of {@link createSqliteInbox}. */
export interface SqliteInboxOptions extends SqliteFileOptions, PollingInboxOptions {
  /**
   * What a power cut may take. `full`: no event, and each acknowledgement waits for the disk. `normal`: events of the last moment, which
   * the service does not send again. A process that dies loses nothing in both. Default: `full`.
   */
  readonly synchronous?: Synchronous;
}

const optionsShape = strictOptions({ ...fileOptions("full"), ...pollingInboxOptions }, exampleOptions);

/**
 * Creates an inbox in a file of SQLite, for `createDoorcode({ webhooks: { inbox } })`. It is usually the file of the store. Any number
 * of processes of this machine share it.
 *
 * An event is acknowledged when it is on the disk. Each function is one short transaction, and rejects with `store_unavailable` as the
 * functions of the store do. Events of other processes are noticed after `pollSeconds` at the latest. An event that no worker takes for
 * 90 days expires; workers remove what has expired.
 *
 * @throws TypeError for a wrong option. Error for a file that {@link createSqliteStore} refuses, too.
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * import { createSqliteInbox, createSqliteStore } from "@doorcode/sqlite";
 *
 * const file = "./doorcode.sqlite";
 * const doorcode = createDoorcode({
 *   store: createSqliteStore({ file }),
 *   service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
 *   webhooks: { secret: process.env.WEBHOOK_SECRET, inbox: createSqliteInbox({ file }) },
 * });
 * const worker = await doorcode.work();
 */
export function createSqliteInbox(options: SqliteInboxOptions): Inbox {
  const checked = parseOptions("createSqliteInbox", optionsShape, options);
  const { file, synchronous, clock, timeoutSeconds, takeOverSeconds } = checked;
  const open = (mode: Synchronous) =>
    createTransactions(openFile("createSqliteInbox", file, mode), file, clock, timeoutSeconds);
  // The writes of workers need not wait for the disk: after a power cut an entry of which they are lost is handed out again.
  const entries = createInboxEntries(open(synchronous), open("normal"), clock, takeOverSeconds);
  return createPollingInbox({ ...checked, entries });
}
