import { within } from "../clock.ts";
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
   * Takes no more events, and resolves when the handlers under way are done. Called again, it waits no longer than the
   * shortest limit.
   *
   * What is not done after `limitSeconds` (from 0 to 86,400; 30 when left out) is given up and handled elsewhere; end the
   * process then.
   *
   * @throws TypeError for a wrong option.
   */
  stop(options?: { readonly limitSeconds?: number }): Promise<void>;
}

/** The workers of a kit in this process. */
export interface Workers {
  start(options?: WorkOptions): Promise<WebhookWorker>;
  /** Stops those that run or begin, as each of them stops; none can be started after that. */
  stop(): Promise<void>;
}

const defaultConcurrency = 10;
const mostConcurrency = 1000;
const defaultLimitSeconds = 30;
const longestLimitSeconds = 86_400;
/** For the engine to end what is over its limit. */
const graceSeconds = 1;

/** Creates the workers of a kit; none runs yet. */
export function createWorkers<Scope>(parts: EntryParts<Scope>): Workers {
  const handle = createEntryHandler(parts);
  const onError = (error: unknown) => parts.publish({ type: "inbox.failed", error });
  const running = new Set<Promise<InboxWorker>>();
  let closed = false;

  /** Never rejects, and ends whatever the engine does: whoever stops has nothing left to do about it. */
  async function stop(starting: Promise<InboxWorker>, limitSeconds: number): Promise<void> {
    const stopped = starting.then((worker) => worker.stop({ limitSeconds })).catch(onError);
    await within(parts.clock, limitSeconds + graceSeconds, stopped);
    running.delete(starting);
  }

  return {
    async start({ concurrency = defaultConcurrency } = {}) {
      if (!(Number.isSafeInteger(concurrency) && concurrency > 0 && concurrency <= mostConcurrency)) {
        throw new TypeError(`doorcode.work: concurrency must be a whole number from 1 to ${mostConcurrency}.`);
      }
      if (closed)
        throw new TypeError("doorcode.work: doorcode.close() was called, and ended its inbox: create another.");
      const starting = parts.inbox.work(handle, { concurrency, onError });
      running.add(starting);
      starting.catch(() => running.delete(starting));
      await starting;
      return {
        async stop({ limitSeconds = defaultLimitSeconds } = {}) {
          if (!(limitSeconds >= 0 && limitSeconds <= longestLimitSeconds)) {
            throw new TypeError(`worker.stop: limitSeconds must be from 0 to ${longestLimitSeconds}, such as 30.`);
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
