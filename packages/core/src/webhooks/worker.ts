import type { Store } from "../store/store.ts";
import { type Clock, createDeadline, wait, waitAtMost } from "../util/clock.ts";
import { parseOptions, secondsOption, strictOptions, wholeNumberOption } from "../util/parse-options.ts";
import { type ErrorSummary, summarizeError } from "../util/redact.ts";
import { parseEventText, type WebhookEvent } from "./event.ts";
import { createHandleOnce, type HandleOnce } from "./handle-once.ts";
import type { EventDeps, HandledEvent, HandleOptions, SettleFunction } from "./handlers.ts";
import type { Inbox, InboxHandler, InboxVerdict, InboxWorker } from "./inbox.ts";

/** Options of `doorcode.work`. */
export interface WorkOptions {
  /** The maximum number of events that are handled at the same time, from 1 to 1000. Default: 10. */
  readonly concurrency?: number;
}

/** A worker that handles webhooks in this process until it is stopped. */
export interface WebhookWorker {
  /**
   * Takes no more events, and resolves when the running handlers are done. If it is called again, the shortest limit counts. After
   * `limitSeconds` (from 0 to 86,400; 30 by default) the rest is given up and handled elsewhere. End the process then.
   *
   * @throws TypeError for a wrong option.
   */
  stop(options?: { readonly limitSeconds?: number }): Promise<void>;
}

/** The workers of a kit in this process. */
export interface Workers {
  start(options?: WorkOptions): Promise<WebhookWorker>;
  /** Stops all workers, also those that are still starting. No worker can be started after that. */
  stop(): Promise<void>;
}

/** The dependencies of a worker. */
export interface WorkerDeps<Scope> extends EventDeps<Scope> {
  readonly inbox: Inbox;
  readonly attempts: number;
  readonly retrySeconds: number;
}

const defaultLimitSeconds = 30;
const workShape = strictOptions({ concurrency: wholeNumberOption(1, 1000).default(10) });
const stopShape = strictOptions({ limitSeconds: secondsOption(0, 86_400).default(defaultLimitSeconds) });
/** The engine needs a moment to end what is over its limit. */
const graceSeconds = 1;

/**
 * Creates the workers of a kit. None runs yet. An event whose worker dies is in the inbox, which hands it to another worker; when more than
 * twenty workers have died with it, it becomes a dead letter.
 */
export function createWorkers<Scope>(deps: WorkerDeps<Scope>): Workers {
  const handle = createEntryHandler(deps);
  const onError = (error: unknown) => deps.publish({ type: "inbox.failed", error });
  const running = new Set<Promise<InboxWorker>>();
  let closed = false;

  /** Never rejects, and ends also if the engine fails: the caller could do nothing about it. */
  async function stop(starting: Promise<InboxWorker>, limitSeconds: number): Promise<void> {
    const stopped = starting.then((worker) => worker.stop({ limitSeconds })).catch(onError);
    await waitAtMost(deps.clock, limitSeconds + graceSeconds, stopped);
    running.delete(starting);
  }

  return {
    async start(options = {}) {
      const { concurrency } = parseOptions("doorcode.work", workShape, options);
      if (closed) throw new TypeError("doorcode.work: doorcode.close() has closed the inbox: create another kit.");
      const starting = deps.inbox.work(handle, { concurrency, onError });
      running.add(starting);
      starting.catch(() => running.delete(starting));
      await starting;
      return {
        async stop(options = {}) {
          await stop(starting, parseOptions("worker.stop", stopShape, options).limitSeconds);
        },
      };
    },
    async stop() {
      closed = true;
      await Promise.all([...running].map((worker) => stop(worker, defaultLimitSeconds)));
    },
  };
}

/** An entry whose entity is busy waits this long in its worker, then in the inbox, where it blocks no worker. */
const maxQueuedSeconds = 2;
const busyRetrySeconds = 2;
/** A slow handler must not fill the worker with events of its entity, so further ones wait in the inbox immediately. */
const maxAhead = 2;
const storeRetrySeconds = 5;
const maxRetrySeconds = 3600;

/** An event whose workers die again and again is probably the cause. */
const maxDeaths = 20;
const workersDied: ErrorSummary = {
  name: "WorkerDied",
  code: undefined,
  message: `More than ${maxDeaths} workers died or stood still while they handled this event.`,
};

const unreadable = "The body is signed by the service and is not a JSON object: no handler can take it.";

function createEntryHandler<Scope>(deps: WorkerDeps<Scope>): InboxHandler {
  const { publish, attempts, retrySeconds } = deps;
  const handleOnce = createHandleOnce({ ...deps, settleCompletion: settlePatiently(deps.store, deps.clock) });

  function deadLetter(
    { kind, key }: { readonly kind: string; readonly key: string },
    error: ErrorSummary,
  ): InboxVerdict {
    publish({ type: "webhook.dead_lettered", kind, key });
    return { action: "dead_letter", error };
  }

  return async ({ key, body, failures, replayed, deaths }) => {
    const event = parseEventText(body);
    if ("unreadable" in event) {
      const error = { name: "UnreadableEvent", code: event.unreadable, message: unreadable };
      return deadLetter({ kind: "unreadable", key }, error);
    }
    if (deaths > maxDeaths) return deadLetter(event, workersDied);
    const handled = await handleInTime(deps, handleOnce, event, { replayed, retried: replayed || failures > 0 });
    switch (handled.outcome) {
      case "handled":
      case "duplicate":
      case "stale":
        return { action: "complete" };
      case "failed": {
        if (failures + 1 >= attempts) return deadLetter(event, summarizeError(handled.error));
        const afterSeconds = Math.min(maxRetrySeconds, retrySeconds * 2 ** failures);
        return { action: "retry", afterSeconds, failures: failures + 1 };
      }
      case "store_unavailable":
        return retryUndecided(storeRetrySeconds, failures);
      case "unfinished":
        publish({ type: "webhook.unfinished", kind: event.kind, key: event.key });
        return retryUndecided(busyRetrySeconds, failures);
      case "superseded":
        return retryUndecided(busyRetrySeconds, failures);
    }
  };
}

/**
 * Returns the verdict on an event about which nothing was decided. The lease that a dead worker leaves on the entity may outlive its hold on
 * the entry. The next worker then finds the entity busy, and must not end the count of deaths.
 */
function retryUndecided(afterSeconds: number, failures: number): InboxVerdict {
  return { action: "retry", afterSeconds, failures, keepsDeaths: true };
}

/** Handles an event. A handler that never settles counts as failed, so that it blocks no worker. */
async function handleInTime<Scope>(
  { clock, handlerSeconds, publish }: WorkerDeps<Scope>,
  handleOnce: HandleOnce,
  event: WebhookEvent,
  again: Pick<HandleOptions, "replayed" | "retried">,
): Promise<HandledEvent> {
  const { kind, key } = event;
  const limitSeconds = maxQueuedSeconds + handlerSeconds;
  const queued = createDeadline(clock, maxQueuedSeconds, () => new Error("The entity of the event is busy."));
  const hanging = createDeadline(
    clock,
    limitSeconds,
    () => new DOMException(`The handler was not done after ${handlerSeconds} seconds.`, "TimeoutError"),
  );
  // Storing the outcome may take as long as the store needs: that is no failure of the handler.
  const options = { ...again, deadline: queued, maxAhead, onHandlerEnd: hanging.clear };
  try {
    return await hanging.race(handleOnce(event, options));
  } catch (error) {
    publish({ type: "webhook.failed", kind, key, durationSeconds: limitSeconds, error });
    return { outcome: "failed", error };
  } finally {
    queued.clear();
    hanging.clear();
  }
}

/** Together about as long as the lease lasts: after that another worker may run the handler again. */
const pausesMilliseconds = [500, 1000, 2000, 4000];

/**
 * Creates a `settle` that asks again while the store is away: no request waits for a worker, and a handler whose event is not marked would
 * have to do its work again. Asking again is safe: if the event was marked, or another process took over, the answer is false.
 */
function settlePatiently(store: Store, clock: Clock): SettleFunction {
  return async (...given) => {
    for (const pause of pausesMilliseconds) {
      try {
        return await store.settle(...given);
      } catch {
        await wait(clock, pause);
      }
    }
    return store.settle(...given);
  };
}
