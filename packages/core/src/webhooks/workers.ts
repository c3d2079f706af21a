import { waitAtMost } from "../util/deadline.ts";
import { createEntryHandler, type WorkerDeps } from "./entry-handler.ts";
import type { InboxWorker } from "./inbox.ts";

/** Options of `doorcode.work`. */
export interface WorkOptions {
  /** The maximum number of events that are handled at once, from 1 to 1000. Default: 10. */
  readonly concurrency?: number;
}

/** A worker that handles webhooks in this process until it is stopped. */
export interface WebhookWorker {
  /**
   * Takes no more events, and resolves when the handlers under way are done. If it is called again, the shortest limit
   * counts.
   *
   * After `limitSeconds` (from 0 to 86,400; 30 by default) the rest is given up and handled elsewhere. End the process
   * then.
   *
   * @throws TypeError for a wrong option.
   */
  stop(options?: { readonly limitSeconds?: number }): Promise<void>;
}

/** The workers of a kit in this process. */
export interface Workers {
  /** Starts a worker. */
  start(options?: WorkOptions): Promise<WebhookWorker>;
  /** Stops all workers, also those that are still starting. No worker can be started after that. */
  stop(): Promise<void>;
}

const defaultConcurrency = 10;
const maxConcurrency = 1000;
const defaultLimitSeconds = 30;
const maxLimitSeconds = 86_400;
/** The engine needs a moment to end what is over its limit. */
const graceSeconds = 1;

/** Creates the workers of a kit. None runs yet. */
export function createWorkers<Scope>(deps: WorkerDeps<Scope>): Workers {
  const handle = createEntryHandler(deps);
  const onError = (error: unknown) => deps.publish({ type: "inbox.failed", error });
  const running = new Set<Promise<InboxWorker>>();
  let closed = false;

  /** Never rejects, and ends whatever the engine does: the caller could do nothing about it. */
  async function stop(starting: Promise<InboxWorker>, limitSeconds: number): Promise<void> {
    const stopped = starting.then((worker) => worker.stop({ limitSeconds })).catch(onError);
    await waitAtMost(deps.clock, limitSeconds + graceSeconds, stopped);
    running.delete(starting);
  }

  return {
    async start({ concurrency = defaultConcurrency } = {}) {
      if (!(Number.isSafeInteger(concurrency) && concurrency > 0 && concurrency <= maxConcurrency)) {
        throw new TypeError(`doorcode.work: concurrency must be a whole number from 1 to ${maxConcurrency}.`);
      }
      if (closed) throw new TypeError("doorcode.work: doorcode.close() has closed the inbox: create another kit.");
      const starting = deps.inbox.work(handle, { concurrency, onError });
      running.add(starting);
      starting.catch(() => running.delete(starting));
      await starting;
      return {
        async stop({ limitSeconds = defaultLimitSeconds } = {}) {
          if (!(limitSeconds >= 0 && limitSeconds <= maxLimitSeconds)) {
            throw new TypeError(`worker.stop: limitSeconds must be from 0 to ${maxLimitSeconds}, such as 30.`);
          }
          await stop(starting, limitSeconds);
        },
      };
    },
    async stop() {
      closed = true;
      await Promise.all([...running].map((worker) => stop(worker, defaultLimitSeconds)));
    },
  };
}
