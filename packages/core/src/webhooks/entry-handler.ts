import { type ErrorSummary, summarizeError } from "../util/error-summary.ts";
import type { WebhookEvent } from "./event.ts";
import type { EventDeps, Processed } from "./event-processing.ts";
import type { Inbox, InboxHandler, InboxVerdict, TakenEntry } from "./inbox.ts";
import { parseDecodedEvent } from "./parse-event.ts";
import { createEventProcessor, type ProcessEvent, publishOutcome } from "./process-event.ts";

/** The dependencies of a worker. */
export interface WorkerDeps<Scope> extends EventDeps<Scope> {
  readonly inbox: Inbox;
  /** How often a handler may fail on an event before the event becomes a dead letter. */
  readonly attempts: number;
  /** The pause after the first failure. It doubles with each failure, up to an hour. */
  readonly retrySeconds: number;
}

/** An entry whose entity is busy waits this long in its worker. After that it waits in the inbox and blocks no worker. */
const maxQueuedMilliseconds = 2000;
const busyRetrySeconds = 2;
/** A slow handler must not fill the worker with events of its entity, so further ones wait in the inbox at once. */
const maxAhead = 2;
const storeRetrySeconds = 5;
const maxRetrySeconds = 3600;

const unreadable = "The body is signed by the service and is not a JSON object: no handler can take it.";

/** Creates the function that handles entries in a worker: as the receiver without an inbox does, with a worker's time limits. */
export function createEntryHandler<Scope>(deps: WorkerDeps<Scope>): InboxHandler {
  const process = createEventProcessor(deps);

  return async (entry) => {
    const event = parseDecodedEvent(entry.body);
    if ("unreadable" in event) {
      const error = { name: "UnreadableEvent", code: event.unreadable, message: unreadable };
      return deadLetter(deps, { kind: "unreadable", key: entry.key }, error);
    }
    const processed = await processInTime(deps, process, event, entry.replayed);
    publishOutcome(deps, event, processed);
    return decideVerdict(deps, event, entry, processed);
  };
}

/** Processes an event. A handler that never settles counts as failed, so that it blocks no worker. */
function processInTime<Scope>(
  { clock, handlerSeconds, publish }: WorkerDeps<Scope>,
  process: ProcessEvent,
  event: WebhookEvent,
  replayed: boolean,
): Promise<Processed> {
  const late = Promise.withResolvers<void>();
  const processed = Promise.withResolvers<Processed>();
  let isLate = false;
  // Timers, not instants: the machine's clock may jump.
  let cancelTimer = clock.schedule(maxQueuedMilliseconds, () => {
    isLate = true;
    late.resolve();
    cancelTimer = clock.schedule(handlerSeconds * 1000, giveUp);
  });

  function giveUp(): void {
    const error = new DOMException(`The handler was not done after ${handlerSeconds} seconds.`, "TimeoutError");
    const durationSeconds = maxQueuedMilliseconds / 1000 + handlerSeconds;
    publish({ type: "webhook.failed", kind: event.kind, key: event.key, durationSeconds, error });
    processed.resolve({ outcome: "failed", error });
  }

  process(event, {
    isLate: () => isLate,
    late: late.promise,
    replayed,
    maxAhead,
    // Storing the outcome may take as long as the store needs: that is no failure of the handler.
    onHandlerEnd: () => cancelTimer(),
  }).then((outcome) => {
    cancelTimer();
    processed.resolve(outcome);
  });
  return processed.promise;
}

function decideVerdict<Scope>(
  deps: WorkerDeps<Scope>,
  event: WebhookEvent,
  { failures }: TakenEntry,
  processed: Processed,
): InboxVerdict {
  switch (processed.outcome) {
    case "handled":
    case "duplicate":
    case "stale":
      return { action: "complete" };
    case "failed":
      return retryOrGiveUp(deps, event, failures + 1, processed.error);
    case "store_unavailable":
      return { action: "retry", afterSeconds: storeRetrySeconds, failures };
    case "unfinished":
    case "superseded":
      return { action: "retry", afterSeconds: busyRetrySeconds, failures };
  }
}

function retryOrGiveUp<Scope>(
  deps: WorkerDeps<Scope>,
  event: WebhookEvent,
  failures: number,
  error: unknown,
): InboxVerdict {
  if (failures >= deps.attempts) return deadLetter(deps, event, summarizeError(error));
  const afterSeconds = Math.min(maxRetrySeconds, deps.retrySeconds * 2 ** (failures - 1));
  return { action: "retry", afterSeconds, failures };
}

function deadLetter<Scope>(
  { publish }: WorkerDeps<Scope>,
  { kind, key }: { readonly kind: string; readonly key: string },
  error: ErrorSummary,
): InboxVerdict {
  publish({ type: "webhook.dead_lettered", kind, key });
  return { action: "dead_letter", error };
}
