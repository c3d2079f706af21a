import type { WebhookEvent } from "./event.ts";
import type { Inbox, InboxHandler, TakenEntry, Verdict } from "./inbox.ts";
import { describeError } from "./last-error.ts";
import { parseEvent } from "./parse-event.ts";
import { type EventWork, type Processed, processEvent, type ReceiverParts } from "./process-event.ts";
import { createTurns } from "./turns.ts";

/** What handles the entries of an inbox. */
export interface EntryParts<Scope> extends ReceiverParts<Scope> {
  readonly inbox: Inbox;
  /** How often a handler may fail on an event before it becomes a dead letter. */
  readonly attempts: number;
  /** The pause after the first failure; it doubles with each one, up to an hour. */
  readonly retrySeconds: number;
}

/** An entry whose entity is being worked on waits that long in its worker, and then in the inbox, where it keeps nobody waiting. */
const takeWithinMilliseconds = 2000;
const busySeconds = 2;
/** The others wait in the inbox at once: a slow handler must not fill the worker with events of its entity. */
const mostAhead = 2;
const storeAwaySeconds = 5;
const longestPauseSeconds = 3600;

const encoder = new TextEncoder();

/** Creates what a worker does with an entry: the same as the receiver without an inbox, in the worker's own time. */
export function createEntryHandler<Scope>(parts: EntryParts<Scope>): InboxHandler {
  const { publish } = parts;
  const work: EventWork<Scope> = { ...parts, handlers: Object.freeze({ ...parts.handlers }), turns: createTurns() };

  return async (entry) => {
    const event = parseEvent(encoder.encode(entry.body));
    if ("unreadable" in event) {
      publish({ type: "webhook.buried", kind: "unreadable", key: entry.key });
      return { act: "bury", error: { name: "UnreadableEvent", code: event.unreadable, message: whyUnreadable } };
    }
    const processed = await processInTime(work, event, entry.replayed);
    const verdict = judgeEntry(parts, entry, processed);
    const { kind, key } = event;
    // These two were told where they happened, with their error.
    const told = processed.outcome === "failed" || processed.outcome === "store_unavailable";
    if (!told) publish({ type: `webhook.${processed.outcome}`, kind, key });
    if (verdict.act === "bury") publish({ type: "webhook.buried", kind, key });
    return verdict;
  };
}

/** Processes an event. A handler that never settles must not keep its place in the worker: it failed, and may go on. */
async function processInTime<Scope>(
  work: EventWork<Scope>,
  event: WebhookEvent,
  replayed: boolean,
): Promise<Processed> {
  const { clock, handlerSeconds, publish } = work;
  const late = Promise.withResolvers<void>();
  const limit = Promise.withResolvers<Processed>();
  let isLate = false;
  const cancelLate = clock.schedule(takeWithinMilliseconds, () => {
    isLate = true;
    late.resolve();
  });
  const cancelLimit = clock.schedule(takeWithinMilliseconds + handlerSeconds * 1000, () => {
    const error = new DOMException(`The handler was not done after ${handlerSeconds} seconds.`, "TimeoutError");
    publish({ type: "webhook.failed", kind: event.kind, key: event.key, error });
    limit.resolve({ outcome: "failed", error });
  });
  // Marking what is done takes as long as the store needs: that is no failure of the handler.
  const handlerEnded = cancelLimit;
  const processing = { isLate: () => isLate, late: late.promise, replayed, mostAhead, handlerEnded };
  const processed = processEvent(work, event, processing);
  try {
    return await Promise.race([processed, limit.promise]);
  } finally {
    cancelLate();
    cancelLimit();
  }
}

const whyUnreadable = "The body is signed by the service, and is no JSON object: nothing can handle it.";

function judgeEntry<Scope>(
  { attempts, retrySeconds }: EntryParts<Scope>,
  entry: TakenEntry,
  processed: Processed,
): Verdict {
  switch (processed.outcome) {
    case "handled":
    case "duplicate":
    case "stale":
      return { act: "complete" };
    case "failed":
      return retryOrBury(entry.failures + 1, processed.error, attempts, retrySeconds);
    case "store_unavailable":
      return { act: "again", afterSeconds: storeAwaySeconds, failures: entry.failures };
    case "unfinished":
    case "superseded":
      return { act: "again", afterSeconds: busySeconds, failures: entry.failures };
  }
}

function retryOrBury(failures: number, error: unknown, attempts: number, retrySeconds: number): Verdict {
  if (failures >= attempts) return { act: "bury", error: describeError(error) };
  const afterSeconds = Math.min(longestPauseSeconds, retrySeconds * 2 ** (failures - 1));
  return { act: "again", afterSeconds, failures };
}
