import { type HeldLease, takeLease } from "../store/lease.ts";
import { secondsSince, wait } from "../util/clock.ts";
import { isDoorcodeError } from "../util/errors.ts";
import {
  checkOrder,
  codeReportOf,
  type EntityRecord,
  keyOfEvent,
  type OrderedEvent,
  orderedEvent,
  readEntity,
  withBegun,
  withHandled,
  withReplayed,
  withSeen,
} from "./entity-record.ts";
import { millisecondsOf, type WebhookEvent } from "./event.ts";
import type { EventDeps, HandledEvent, HandleOptions, SettleFunction, WebhookHandler } from "./handlers.ts";

/** Handles an event unless another process does, or a handler has begun for a newer one. Never rejects. Publishes all but `unfinished`. */
export type HandleOnce = (event: WebhookEvent, options: HandleOptions) => Promise<HandledEvent>;

interface QueuedEvent {
  readonly event: WebhookEvent;
  readonly options: HandleOptions;
  readonly entity: string;
  readonly place: Place;
}

/** An event whose entity this process holds. */
interface HeldEvent extends QueuedEvent {
  /** The event with the rank by which it is ordered. */
  readonly ordered: OrderedEvent;
  readonly lease: HeldLease;
  /** The record of the entity when the lease was taken. */
  readonly record: EntityRecord;
}

/** An error of the handler. It is wrapped, because a handler may throw `undefined`. */
interface Failure {
  readonly error: unknown;
}

const askAgainMilliseconds = 200;
const leaseSeconds = 15;
/** The service retries for little more than an hour. An event that comes later than this is not recognized. */
const ttlSeconds = 7 * 24 * 60 * 60;

/**
 * Creates the function that handles each event once, and the events of an entity one after the other.
 *
 * If the process dies while a handler runs, the lease of the entity ends by itself after 15 seconds. The service, which got no answer, or the
 * inbox, which takes the event over, then brings the event again, and its handler runs again. If the process dies after the event was
 * stored as handled, the next delivery is a duplicate.
 */
export function createHandleOnce<Scope>(deps: EventDeps<Scope>): HandleOnce {
  const { publish } = deps;
  const queues = createEntityQueues();

  return async (event, options) => {
    const { kind, key } = event;
    const entity = keyOfEvent(deps.name, event);
    // 1. Wait for the earlier events of the entity in this process.
    if (queues.size(entity) > (options.maxAhead ?? Number.POSITIVE_INFINITY)) return { outcome: "unfinished" };
    const place = queues.enter(entity);
    try {
      if (place.turn) await options.deadline.race(place.turn).catch(() => undefined);
      const handled = await handleInTurn(deps, { event, options, entity, place });
      const { outcome } = handled;
      if (outcome === "duplicate" || outcome === "stale" || outcome === "superseded") {
        publish({ type: `webhook.${outcome}`, kind, key, ...retriedOf(options) });
      }
      return handled;
    } catch (error) {
      // The store publishes its own failures.
      if (!isDoorcodeError(error)) publish({ type: "store.failed", error });
      return { outcome: "store_unavailable" };
    } finally {
      place.leave();
    }
  };
}

async function handleInTurn<Scope>(deps: EventDeps<Scope>, queued: QueuedEvent): Promise<HandledEvent> {
  const { store, clock } = deps;
  const { event, options, entity } = queued;
  while (!options.deadline.isOver) {
    // 2. Take the lease of the entity, so that no other process handles its events.
    const lease = await takeLease(store, entity, { clock, leaseSeconds, ttlSeconds });
    const record = readEntity(lease.value);
    const ordered = orderedEvent(event, record, clock.now());
    // 3. Recognize what was handled before. The record tells, also while another request holds the lease.
    const known = options.replayed ? undefined : checkOrder(ordered, record);
    const refusal = known ?? (options.deadline.isOver ? "unfinished" : undefined);
    if (refusal && lease.held) await lease.settle(lease.value);
    if (refusal) return { outcome: refusal };
    if (lease.held) {
      const handled = await runHandler(deps, { ...queued, ordered, lease, record });
      // Login pages show the delivery of a code. It is stored with the record, also after a failed handler.
      if (event.kind !== "unknown") deps.changes.emit(entity);
      return handled;
    }
    await wait(clock, askAgainMilliseconds);
  }
  return { outcome: "unfinished" };
}

async function runHandler<Scope>(deps: EventDeps<Scope>, held: HeldEvent): Promise<HandledEvent> {
  const { clock, publish, transactions } = deps;
  const { event, options, place, ordered, lease, record } = held;
  const { kind, key } = event;
  // 4. Store that the handler begins, so that no older event is handled after it, even if the process dies or the
  // end is not stored. A transaction needs no such note: what a handler did in it is rolled back with the record.
  const begun = options.replayed ? record : withBegun(record, ordered);
  const needsNote = transactions === undefined && begun !== record;
  if (needsNote && !(await lease.write(JSON.stringify(begun)))) return { outcome: "superseded" };

  // 5. Run the handler and complete the event, while the lease is renewed.
  const recordAfter = options.replayed ? withReplayed : withHandled;
  const complete = (settle?: SettleFunction) => lease.settle(JSON.stringify(recordAfter(begun, ordered)), settle);
  const startedAt = clock.now();
  const renewal = lease.keepAlive(deps.handlerSeconds);
  // A handler that never settles must not keep later events of its entity waiting.
  renewal.signal.addEventListener("abort", () => place.leave());
  const result = await runAndComplete(deps, held, renewal.signal, complete).finally(() => renewal.stop());
  const durationSeconds = secondsSince(clock, startedAt);

  // 6. Store a failure, which ends the lease, and report the delivery of a code: it is seen for the first time only now,
  // also if the handler has failed.
  if (result === "superseded") return { outcome: result };
  if (result === "handled") {
    const lag = event.rank !== "" && { lagSeconds: secondsSince(clock, millisecondsOf(event.rank)) };
    publish({ type: "webhook.handled", kind, key, durationSeconds, ...lag, ...retriedOf(options) });
    await reportCode(deps, held);
    return { outcome: result };
  }
  publish({ type: "webhook.failed", kind, key, durationSeconds, error: result.error });
  const isOurs = await lease.settle(JSON.stringify(withSeen(begun, ordered)));
  if (!isOurs) return { outcome: "superseded" };
  await reportCode(deps, held);
  return { outcome: "failed", error: result.error };
}

function retriedOf({ retried }: HandleOptions): { readonly retried?: true } {
  return retried ? { retried } : {};
}

/** Runs the handler and completes its event: as one, where there is a transaction. */
async function runAndComplete<Scope>(
  { handlers, transactions, settleCompletion }: EventDeps<Scope>,
  { event, options }: HeldEvent,
  signal: AbortSignal,
  complete: (settle?: SettleFunction) => Promise<boolean>,
): Promise<"handled" | "superseded" | Failure> {
  const run: { hasBegun: boolean; failure?: Failure | undefined } = { hasBegun: false };
  async function work(scope: Scope | undefined, settle: SettleFunction | undefined): Promise<boolean> {
    run.hasBegun = true;
    // After a conflict in the database the work runs again, and its last run counts.
    run.failure = undefined;
    try {
      // TypeScript does not know that the handler of a kind takes the events of that kind.
      const handle = handlers[event.kind] as WebhookHandler<WebhookEvent> | undefined;
      await handle?.(event, { ...scope, signal });
    } catch (error) {
      run.failure = { error };
      throw error;
    } finally {
      options.onHandlerEnd?.();
    }
    return complete(settle);
  }

  try {
    const isCompleted = transactions ? await transactions.run(work, signal) : await work(undefined, settleCompletion);
    return run.failure ?? (isCompleted ? "handled" : "superseded");
  } catch (error) {
    return run.failure ?? classifyRejection(error, signal, run.hasBegun);
  }
}

async function reportCode<Scope>(deps: EventDeps<Scope>, { ordered, options, record }: HeldEvent): Promise<void> {
  if (!deps.onCodeReport || options.replayed) return;
  try {
    const report = await codeReportOf(deps, ordered, record);
    if (report) await deps.onCodeReport(report);
  } catch {
    // What became of the event is stored. If the store fails now, the login counts as unconfirmed for a while.
  }
}

/** Classifies the rejection of a transaction whose handler did not throw, or throws it again if its end is unknown. */
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

interface Place {
  /** Resolves when all earlier places have been left; `undefined` if there is none. */
  readonly turn: Promise<void> | undefined;
  /** Leaves the place, so that the next turn begins. A second call does nothing. */
  leave(): void;
}

/** Creates a queue for each entity, which lets one event at a time through, in the order of entering. */
function createEntityQueues() {
  const queues = new Map<string, PromiseWithResolvers<void>[]>();

  return {
    size: (entity: string): number => queues.get(entity)?.length ?? 0,
    /** Takes the last place in the queue of an entity. Every place must be left. */
    enter(entity: string): Place {
      const queue = queues.get(entity) ?? [];
      const turn = Promise.withResolvers<void>();
      queues.set(entity, queue);
      const isFirst = queue.push(turn) === 1;
      return {
        turn: isFirst ? undefined : turn.promise,
        leave() {
          const index = queue.indexOf(turn);
          if (index < 0) return;
          queue.splice(index, 1);
          if (queue.length === 0) queues.delete(entity);
          queue[0]?.resolve();
        },
      };
    },
  };
}
