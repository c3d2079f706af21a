import { type Clock, wait } from "../primitives/clock.ts";
import { isDoorcodeError } from "../primitives/errors.ts";
import type { PhoneNumber } from "../primitives/phone-number.ts";
import type { Publish } from "../primitives/publish.ts";
import type { Changes } from "../store/changes.ts";
import type { StoreEvent } from "../store/fail-closed.ts";
import { takeLease } from "../store/held-lease.ts";
import type { Store } from "../store/store.ts";
import type { WebhookDeliveryEvent } from "./delivery-event.ts";
import { entityKey } from "./entity.ts";
import type { WebhookEvent } from "./event.ts";
import type { EventTransactions } from "./event-transactions.ts";
import { HandlerRun } from "./handler-run.ts";
import type { WebhookHandlers } from "./handlers.ts";
import { createKeyedQueue } from "./keyed-queue.ts";
import { checkOrder, type EntityRecord, readEntity } from "./order.ts";

/** The dependencies of handling events. */
export interface EventDeps<Scope = unknown> {
  readonly store: Store;
  readonly changes: Pick<Changes, "announce">;
  /** The prefix of the app's keys in the store. */
  readonly name: string;
  readonly handlers: WebhookHandlers<Scope>;
  readonly transactions: EventTransactions<Scope>;
  /** The time that a handler may take before its signal aborts. */
  readonly handlerSeconds: number;
  readonly clock: Clock;
  readonly publish: Publish<WebhookDeliveryEvent | StoreEvent>;
  /** Learns of a number that a code could not reach. Without a login there is nobody who wants to know. */
  readonly countUndelivered?: ((number: PhoneNumber) => Promise<void>) | undefined;
}

/** Options of {@link ProcessEvent}. */
export interface ProcessOptions {
  /** Returns true once it is too late to begin: a handler that has not begun does not begin then. */
  isLate(): boolean;
  /** Resolves when it is too late, at the earliest. */
  readonly late: Promise<unknown>;
  /** True for an event that is replayed: it is handled again, whatever was handled before. */
  readonly replayed: boolean;
  /** Called when the handler has returned or thrown, so that only its outcome is still to be stored. */
  readonly onHandlerEnd?: () => void;
  /** The number of events of the same entity in this process beyond which this one is not even queued. Default: no limit. */
  readonly maxAhead?: number;
}

/**
 * The outcome of an event. `handled`, `duplicate` and `stale` are acknowledged. After any other the event must come again:
 * - `failed`: the handler threw.
 * - `unfinished`: nothing was decided in time. A handler that has begun goes on.
 * - `superseded`: another process took the event over while the handler worked.
 * - `store_unavailable`: the store did not answer. It is unknown whether the event was marked as handled.
 */
export type EventOutcome =
  | "handled"
  | "duplicate"
  | "stale"
  | "failed"
  | "unfinished"
  | "superseded"
  | "store_unavailable";

/** The outcome of an event; of a failure its error, and of a success what its handler took. */
export type Processed =
  | { readonly outcome: Exclude<EventOutcome, "failed" | "handled"> }
  | { readonly outcome: "handled"; readonly durationSeconds: number }
  | { readonly outcome: "failed"; readonly error: unknown };

/**
 * Handles an event if no other process does so and nothing newer was handled. Never rejects: a failure of the handler or
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
        const refusal = refusalOf(event, record, options);
        if (refusal && lease.held) await lease.settle(lease.value);
        if (refusal) return { outcome: refusal };
        if (lease.held) {
          const processed = await new HandlerRun(deps, { event, lease, record, options, place }).run();
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
