import type { z } from "zod";
import { secondsOption, wholeNumberOption } from "../util/parse-options.ts";
import { type Inbox, type InboxEntry, minInboxKeepSeconds } from "./inbox.ts";
import { type HeldEntries, type PollingDeps, type PollingWorker, startPollingWorker } from "./polling-worker.ts";

/** Options of an inbox in a database, which workers ask for entries again and again. */
export interface PollingInboxOptions {
  /** The minimum time for which a handled event stays known, from 7,200 to 31,536,000 (a year). Default: 7,200. */
  readonly keepSeconds?: number;
  /** The time for which dead letters are kept, from 1 to 31,536,000 (a year). Default: 1,209,600 (14 days). */
  readonly keepDeadLettersSeconds?: number;
  /** The time after its last sign of life when a worker counts as dead, from 10 to 300. Default: 15. */
  readonly takeOverSeconds?: number;
  /** The time after which a worker with nothing to do asks for events again, from 0.05 to 60. Default: 1. */
  readonly pollSeconds?: number;
}

const yearSeconds = 31_536_000;

type NumberOption = z.ZodType<number, number | undefined>;

/** The shape of {@link PollingInboxOptions}, for the options of an inbox. */
export const pollingInboxOptions: { readonly [Name in keyof PollingInboxOptions]-?: NumberOption } = {
  keepSeconds: wholeNumberOption(minInboxKeepSeconds, yearSeconds).default(minInboxKeepSeconds),
  keepDeadLettersSeconds: wholeNumberOption(1, yearSeconds).default(1_209_600),
  takeOverSeconds: wholeNumberOption(10, 300).default(15),
  pollSeconds: secondsOption(0.05, 60).default(1),
};

/** The entries of an inbox in a database: what {@link createPollingInbox} asks of it. Each function is atomic. */
export interface InboxEntries extends HeldEntries, Omit<Inbox, "work"> {
  /** Adds an open entry that is due now, and is removed after {@link openEntrySeconds}. A known key changes nothing. */
  add(entry: InboxEntry): Promise<void>;
  /** Opens a dead letter or a handled entry again, as new but for `replayed`, and resolves to whether there was one. */
  replay(key: string): Promise<boolean>;
  /** Rejects, and says what to do, if the entries cannot be read. */
  check(): Promise<void>;
}

/** The dependencies of {@link createPollingInbox}. */
export interface PollingInboxDeps extends PollingDeps, Required<PollingInboxOptions> {
  readonly entries: InboxEntries;
}

/**
 * Creates an inbox of the entries in a database, for people who write an inbox for another one. Its workers ask for entries once in
 * `pollSeconds`, and immediately after an entry was added or replayed in their process or has ended. They renew their holds, carry out
 * verdicts, and turn an event that more than twenty workers died with into a dead letter.
 */
export function createPollingInbox(deps: PollingInboxDeps): Inbox {
  const { entries } = deps;
  const workers = new Set<PollingWorker>();
  let isClosed = false;

  function open(): InboxEntries {
    if (isClosed) throw new TypeError("The inbox was closed: create another one.");
    return entries;
  }

  function wakeWorkers(): void {
    for (const worker of workers) worker.wakeUp();
  }

  return {
    async add(entry) {
      await open().add(entry);
      wakeWorkers();
    },
    async work(handle, options) {
      await open().check();
      const worker = startPollingWorker(deps, handle, options);
      workers.add(worker);
      return {
        async stop(limit) {
          workers.delete(worker);
          await worker.stop(limit);
        },
      };
    },
    deadLetters: async (limit) => open().deadLetters(limit),
    findDeadLetters: async (keys) => open().findDeadLetters(keys),
    async replay(key) {
      const isReplayed = await open().replay(key);
      wakeWorkers();
      return isReplayed;
    },
    discard: async (key) => open().discard(key),
    counts: async () => open().counts(),
    async close() {
      isClosed = true;
      await entries.close();
    },
  };
}
