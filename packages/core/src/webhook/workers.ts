import type { EntryParts } from "./handle-entry.ts";
import { createEntryHandler } from "./handle-entry.ts";
import type { InboxWorker } from "./inbox.ts";

/** How a process works. */
export interface WorkOptions {
  /** How many events are handled at once; 10 when left out. */
  readonly concurrency?: number;
}

/** Handles webhooks in this process until it is stopped. */
export interface WebhookWorker {
  /**
   * Takes no more events, and resolves when the handlers under way are done.
   *
   * What is not done after `limitSeconds` (30 when left out) is given up and handled elsewhere; end the process then.
   */
  stop(options?: { readonly limitSeconds?: number }): Promise<void>;
}

/** The workers of a kit in this process. */
export interface Workers {
  start(options?: WorkOptions): Promise<WebhookWorker>;
  /** Stops those that still run, as each of them stops. */
  stop(): Promise<void>;
}

const defaultConcurrency = 10;
const mostConcurrency = 1000;
const defaultLimitSeconds = 30;

/** Creates the workers of a kit; none runs yet. */
export function createWorkers<Scope>(parts: EntryParts<Scope>): Workers {
  const handle = createEntryHandler(parts);
  const running = new Set<InboxWorker>();

  async function stopWorker(worker: InboxWorker, limitSeconds: number): Promise<void> {
    await worker.stop({ limitSeconds });
    running.delete(worker);
  }

  return {
    async start({ concurrency = defaultConcurrency } = {}) {
      if (!(Number.isSafeInteger(concurrency) && concurrency > 0 && concurrency <= mostConcurrency)) {
        throw new TypeError(`doorcode.work: concurrency must be a whole number from 1 to ${mostConcurrency}.`);
      }
      const onError = (error: unknown) => parts.publish({ type: "inbox.failed", error });
      const worker = await parts.inbox.work(handle, { concurrency, onError });
      running.add(worker);
      return { stop: ({ limitSeconds = defaultLimitSeconds } = {}) => stopWorker(worker, limitSeconds) };
    },
    async stop() {
      await Promise.all([...running].map((worker) => stopWorker(worker, defaultLimitSeconds)));
    },
  };
}
