import { takeLease } from "../store/lease.ts";
import { wait } from "../util/clock.ts";
import { isDoorcodeError } from "../util/errors.ts";
import { entityKey } from "./entity.ts";
import type { WebhookEvent } from "./event.ts";
import type { EventDeps, Processed, ProcessOptions } from "./event-processing.ts";
import { HandlerRun } from "./handler-run.ts";
import { createKeyedQueue } from "./keyed-queue.ts";
import { checkOrder, type EntityRecord, orderedEvent } from "./order.ts";
import { readEntity } from "./stored-entity.ts";

/**
 * Handles an event if no other process does so and no handler has begun for anything newer. Never rejects: a failure of the handler or
 * of the store is published and becomes an outcome.
 */
export type ProcessEvent = (event: WebhookEvent, options: ProcessOptions) => Promise<Processed>;

const askAgainMilliseconds = 200;
const leaseSeconds = 15;
/** The service retries for little more than an hour. An event that comes later than this is not recognized. */
const ttlSeconds = 7 * 24 * 60 * 60;

/** Creates the function that handles events, with a queue for each entity: a message, a verification, or a single event. */
export function createEventProcessor<Scope>(deps: EventDeps<Scope>): ProcessEvent {
  const { store, clock } = deps;
  const queue = createKeyedQueue();
  const leaseOptions = { clock, leaseSeconds, ttlSeconds };

  // One function for all steps: each async function more costs a delivery as much as its queue.
  return async (event, options) => {
    const key = entityKey(deps.name, event);
    if (options.maxAhead !== undefined && queue.size(key) > options.maxAhead) return { outcome: "unfinished" };
    const place = queue.enter(key);
    try {
      if (place.turn) await Promise.race([place.turn, options.late]);
      while (!options.isLate()) {
        const lease = await takeLease(store, key, leaseOptions);
        const record = readEntity(lease.value);
        const ordered = orderedEvent(event, record, clock.now());
        const refusal = refusalOf(ordered, record, options);
        if (refusal && lease.held) await lease.settle(lease.value);
        if (refusal) return { outcome: refusal };
        if (lease.held) {
          const processed = await new HandlerRun(deps, { event, ordered, lease, record, options, place }).run();
          // Login pages show the delivery of a verification or a text. It is stored with the mark, also after a failed handler.
          if (event.kind !== "unknown") deps.changes.announce(key);
          return processed;
        }
        await wait(clock, askAgainMilliseconds);
      }
      return { outcome: "unfinished" };
    } catch (error) {
      // The store publishes its own failures.
      if (!isDoorcodeError(error)) deps.publish({ type: "store.failed", error });
      return { outcome: "store_unavailable" };
    } finally {
      place.leave();
    }
  };
}

/** Returns why an event is not handled now, or `undefined` if it is. */
function refusalOf(
  event: WebhookEvent,
  record: EntityRecord,
  options: ProcessOptions,
): "duplicate" | "stale" | "unfinished" | undefined {
  const inOrder = options.replayed ? undefined : checkOrder(event, record);
  return inOrder ?? (options.isLate() ? "unfinished" : undefined);
}

/** Publishes an outcome, except those that were published with their error where they happened. */
export function publishOutcome<Scope>(
  { publish }: Pick<EventDeps<Scope>, "publish">,
  { kind, key }: WebhookEvent,
  processed: Processed,
): void {
  const { outcome } = processed;
  if (outcome === "handled") {
    publish({ type: "webhook.handled", kind, key, durationSeconds: processed.durationSeconds });
  } else if (outcome !== "failed" && outcome !== "store_unavailable") {
    publish({ type: `webhook.${outcome}`, kind, key });
  }
}
