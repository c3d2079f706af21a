import { type Clock, wait } from "../clock.ts";
import type { Publish } from "../doorcode-event.ts";
import { isDoorcodeError } from "../errors.ts";
import { type HeldLease, takeLease } from "../store/held-lease.ts";
import type { Store } from "../store/store.ts";
import { entityKey } from "./entity.ts";
import type { WebhookEvent } from "./event.ts";
import { callHandler, type WebhookHandlers } from "./handlers.ts";
import { type EntityRecord, judge, readEntity, withHandled, withSeen } from "./order.ts";
import type { Turns } from "./turns.ts";

/** What a receiver is made of. */
export interface ReceiverParts {
  readonly store: Store;
  /** The beginning of all store keys of the app. */
  readonly name: string;
  readonly handlers: WebhookHandlers;
  /** How long a handler may work before its `signal` aborts. */
  readonly handlerSeconds: number;
  readonly clock: Clock;
  readonly publish: Publish;
}

/** The parts of a receiver, and the queues of its process: one per entity. */
export interface EventWork extends ReceiverParts {
  readonly turns: Turns;
}

/**
 * What became of a delivery. `handled`, `duplicate` and `stale` are to be acknowledged; after the others the service
 * has to deliver again:
 * - `failed`: the handler threw.
 * - `unfinished`: nothing was decided when the answer was due; a handler that has begun goes on.
 * - `superseded`: another process took over while the handler worked.
 * - `store_unavailable`: the store did not answer; whether the event was marked as handled is unknown.
 */
export type ReceiveOutcome =
  | "handled"
  | "duplicate"
  | "stale"
  | "failed"
  | "unfinished"
  | "superseded"
  | "store_unavailable";

/** An entity that is ours for now, and what is known of it. */
interface TakenEntity {
  readonly lease: HeldLease;
  readonly record: EntityRecord;
}

const askAgainMilliseconds = 200;
const leaseSeconds = 15;
/** The service gives up on an event after little more than an hour; one that comes later than this is not recognised. */
const ttlSeconds = 7 * 24 * 60 * 60;

/**
 * Handles an event when nobody else does and nothing newer was handled. Never rejects: a failure of the handler or the
 * store is published, and is an outcome.
 *
 * @param isLate - once true, a handler that has not begun does not begin.
 */
export async function processEvent(
  work: EventWork,
  event: WebhookEvent,
  isLate: () => boolean,
): Promise<ReceiveOutcome> {
  const key = entityKey(work.name, event);
  const { turn, leave } = work.turns.enter(key);
  try {
    await turn;
    const taken = await take(work, key, event, isLate);
    return typeof taken === "string" ? taken : await handle(work, event, taken, leave);
  } catch (error) {
    // A store that fails closed has told of its failure itself.
    if (!isDoorcodeError(error)) work.publish({ type: "store.failed", error });
    return "store_unavailable";
  } finally {
    leave();
  }
}

/** Takes the entity, or answers why the event is not to be handled. */
async function take(
  { store, clock }: EventWork,
  key: string,
  event: WebhookEvent,
  isLate: () => boolean,
): Promise<TakenEntity | "duplicate" | "stale" | "unfinished"> {
  while (!isLate()) {
    const lease = await takeLease(store, key, { clock, leaseSeconds, ttlSeconds });
    const record = readEntity(lease.value);
    const refusal = judge(event, record) ?? (isLate() ? "unfinished" : undefined);
    if (refusal && lease.held) await lease.settle(lease.value);
    if (refusal) return refusal;
    if (lease.held) return { lease, record };
    await wait(clock, askAgainMilliseconds);
  }
  return "unfinished";
}

async function handle(
  work: EventWork,
  event: WebhookEvent,
  { lease, record }: TakenEntity,
  leave: () => void,
): Promise<"handled" | "failed" | "superseded"> {
  const failure = await runHandler(work, event, lease, leave);
  if (failure) {
    work.publish({ type: "webhook.failed", kind: event.kind, key: event.key, error: failure.error });
    await lease.settle(JSON.stringify(withSeen(record, event)));
    return "failed";
  }
  const settled = await lease.settle(JSON.stringify(withHandled(record, event)));
  return settled ? "handled" : "superseded";
}

/** Answers what the handler threw, if it threw. */
async function runHandler(
  { handlers, handlerSeconds }: EventWork,
  event: WebhookEvent,
  lease: HeldLease,
  leave: () => void,
): Promise<{ readonly error: unknown } | undefined> {
  if (!handlers[event.kind]) return undefined;
  const { signal } = lease.keepAlive(handlerSeconds);
  // A handler that never settles must not keep later events of its entity waiting.
  signal.addEventListener("abort", leave, { once: true });
  try {
    await callHandler(handlers, event, { signal });
    return undefined;
  } catch (error) {
    return { error };
  }
}
