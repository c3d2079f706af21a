import { type Clock, secondsSince, wait } from "../primitives/clock.ts";
import { isDoorcodeError } from "../primitives/errors.ts";
import type { PhoneNumber } from "../primitives/phone-number.ts";
import type { Publish } from "../primitives/publish.ts";
import type { Changes } from "../store/changes.ts";
import type { StoreEvent } from "../store/fail-closed.ts";
import { type HeldLease, takeLease } from "../store/held-lease.ts";
import type { Store } from "../store/store.ts";
import type { WebhookDeliveryEvent } from "./delivery-event.ts";
import { entityKey } from "./entity.ts";
import type { WebhookEvent } from "./event.ts";
import type { EventTransactions } from "./event-transactions.ts";
import { callHandler, type WebhookHandlers } from "./handlers.ts";
import { createKeyedQueue } from "./keyed-queue.ts";
import { checkOrder, type EntityRecord, readEntity, withHandled, withReplayed, withSeen } from "./order.ts";
import { undeliveredNumberOf } from "./undelivered.ts";

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
  readonly isLate: () => boolean;
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
  const queue = createKeyedQueue();

  return async (event, options) => {
    const key = entityKey(deps.name, event);
    if (options.maxAhead !== undefined && queue.size(key) > options.maxAhead) return { outcome: "unfinished" };
    const { turn, leave } = queue.enter(key);
    try {
      if (turn) await Promise.race([turn, options.late]);
      const held = await holdEntity(deps, key, event, options);
      if (typeof held === "string") return { outcome: held };
      const processed = await handle(deps, event, held, options, leave);
      // Login pages show the delivery of a verification or a text. It is stored with the mark, also after a failed handler.
      if (event.kind !== "unknown") deps.changes.announce(key);
      return processed;
    } catch (error) {
      // The store publishes its own failures.
      if (!isDoorcodeError(error)) deps.publish({ type: "store.failed", error });
      return { outcome: "store_unavailable" };
    } finally {
      leave();
    }
  };
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

/** An entity that this process holds, and its record. */
interface HeldEntity {
  readonly lease: HeldLease;
  readonly record: EntityRecord;
}

/** Leases the entity of an event, or returns why the event is not handled. */
async function holdEntity<Scope>(
  { store, clock }: EventDeps<Scope>,
  key: string,
  event: WebhookEvent,
  { isLate, replayed }: ProcessOptions,
): Promise<HeldEntity | "duplicate" | "stale" | "unfinished"> {
  while (!isLate()) {
    const lease = await takeLease(store, key, { clock, leaseSeconds, ttlSeconds });
    const record = readEntity(lease.value);
    const refusal = (replayed ? undefined : checkOrder(event, record)) ?? (isLate() ? "unfinished" : undefined);
    if (refusal && lease.held) await lease.settle(lease.value);
    if (refusal) return refusal;
    if (lease.held) return { lease, record };
    await wait(clock, askAgainMilliseconds);
  }
  return "unfinished";
}

/** Runs the handler and stores the outcome. `leave` lets the next event of the entity begin. */
async function handle<Scope>(
  deps: EventDeps<Scope>,
  event: WebhookEvent,
  held: HeldEntity,
  options: ProcessOptions,
  leave: () => void,
): Promise<Processed> {
  const { lease, record } = held;
  const startedAt = deps.clock.now();
  const result = await runAndMark(deps, event, held, options, leave);
  const durationSeconds = secondsSince(deps.clock, startedAt);
  // The event is handled. If the store fails now, the login counts as unconfirmed for a while.
  const counts = result === "handled" && !options.replayed && deps.countUndelivered;
  if (counts) await countIfUndelivered(deps, counts, event, record).catch(() => undefined);
  if (result === "superseded") return { outcome: result };
  if (result === "handled") return { outcome: result, durationSeconds };
  const { error } = result;
  deps.publish({ type: "webhook.failed", kind: event.kind, key: event.key, durationSeconds, error });
  const isOurs = await lease.settle(JSON.stringify(withSeen(record, event)));
  return isOurs ? { outcome: "failed", error } : { outcome: "superseded" };
}

async function countIfUndelivered<Scope>(
  deps: EventDeps<Scope>,
  countUndelivered: NonNullable<typeof deps.countUndelivered>,
  event: WebhookEvent,
  record: EntityRecord,
): Promise<void> {
  const number = await undeliveredNumberOf(deps, event, record);
  if (number) await countUndelivered(number);
}

/** An error of the handler. It is wrapped, because a handler may throw `undefined`. */
interface Failure {
  readonly error: unknown;
}

/** Runs the handler and marks the event as handled: as one, where there is a database transaction. */
async function runAndMark<Scope>(
  { transactions, handlers, handlerSeconds }: EventDeps<Scope>,
  event: WebhookEvent,
  { lease, record }: HeldEntity,
  { replayed, onHandlerEnd }: ProcessOptions,
  leave: () => void,
): Promise<"handled" | "superseded" | Failure> {
  // A handler that never settles must not keep later events of its entity waiting.
  const { signal, stop } = lease.keepAlive(handlerSeconds, leave);
  const complete = replayed ? withReplayed : withHandled;
  let hasBegun = false;
  let failure: Failure | undefined;
  try {
    const isMarked = await transactions.run(async (scope, settle) => {
      hasBegun = true;
      // After a conflict in the database the work runs again, and its last run counts.
      failure = undefined;
      try {
        await callHandler(handlers, event, { ...scope, signal });
      } catch (error) {
        failure = { error };
        throw error;
      } finally {
        onHandlerEnd?.();
      }
      return await lease.settle(JSON.stringify(complete(record, event)), settle);
    }, signal);
    return failure ?? (isMarked ? "handled" : "superseded");
  } catch (error) {
    return failure ?? classifyRejection(error, signal, hasBegun);
  } finally {
    stop();
  }
}

/**
 * Classifies the rejection of a transaction whose handler did not throw.
 *
 * Throws the error again when the transaction was not begun, or it is unknown whether it was committed.
 */
function classifyRejection(
  error: unknown,
  { aborted, reason }: AbortSignal,
  hasBegun: boolean,
): "superseded" | Failure {
  if (aborted && error === reason) {
    if (reason.name !== "TimeoutError") return "superseded";
    // A handler that waited for its transaction until the limit has not failed.
    if (hasBegun) return { error };
  }
  if (isDoorcodeError(error) && error.code === "handler_failed") return { error };
  throw error;
}
