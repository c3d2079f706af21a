import { type Clock, wait } from "../clock.ts";
import type { Publish } from "../doorcode-event.ts";
import { isDoorcodeError } from "../errors.ts";
import { type HeldLease, takeLease } from "../store/held-lease.ts";
import type { Store } from "../store/store.ts";
import { entityKey } from "./entity.ts";
import type { WebhookEvent } from "./event.ts";
import { callHandler, type HandlerContext, type WebhookHandlers } from "./handlers.ts";
import { type EntityRecord, judge, readEntity, withHandled, withReplayed, withSeen } from "./order.ts";
import type { EventTransactions } from "./transactions.ts";
import type { Turns } from "./turns.ts";

/** What handles events. */
export interface ReceiverParts<Scope = unknown> {
  readonly store: Store;
  /** The beginning of all store keys of the app. */
  readonly name: string;
  readonly handlers: WebhookHandlers<Scope>;
  readonly transactions: EventTransactions<Scope>;
  /** How long a handler may work before its `signal` aborts. */
  readonly handlerSeconds: number;
  readonly clock: Clock;
  readonly publish: Publish;
}

/** The parts, and the queues of the process: one per entity. */
export interface EventWork<Scope = unknown> extends ReceiverParts<Scope> {
  readonly turns: Turns;
}

/** How an event is to be processed. */
export interface Processing {
  /** Once true, a handler that has not begun does not begin. */
  readonly isLate: () => boolean;
  /** Resolves when it is late, at the earliest. */
  readonly late: Promise<unknown>;
  /** The event is handled once more at somebody's wish, whatever was handled before. */
  readonly replayed: boolean;
  /** Hears that the handler has returned or thrown, and that only this is to be marked yet. */
  readonly handlerEnded?: () => void;
  /** With more events of its entity in the process already, the event is not even waited with; no limit when left out. */
  readonly mostAhead?: number;
}

/**
 * What became of a delivery. `handled`, `duplicate` and `stale` are to be acknowledged; after the others the event has
 * to come again:
 * - `failed`: the handler threw.
 * - `unfinished`: nothing was decided in time; a handler that has begun goes on.
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

/** What became of an event, and of a failure the error. */
export type Processed =
  | { readonly outcome: Exclude<ReceiveOutcome, "failed"> }
  | { readonly outcome: "failed"; readonly error: unknown };

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
 */
export async function processEvent<Scope>(
  work: EventWork<Scope>,
  event: WebhookEvent,
  processing: Processing,
): Promise<Processed> {
  const key = entityKey(work.name, event);
  const { mostAhead = Number.POSITIVE_INFINITY, handlerEnded = () => undefined } = processing;
  if (work.turns.present(key) > mostAhead) return { outcome: "unfinished" };
  const { turn, leave } = work.turns.enter(key);
  try {
    if (turn) await Promise.race([turn, processing.late]);
    const taken = await take(work, key, event, processing);
    if (typeof taken === "string") return { outcome: taken };
    const complete = processing.replayed ? withReplayed : withHandled;
    return await handle(work, event, { ...taken, leave, handlerEnded, complete });
  } catch (error) {
    // A store that fails closed has told of its failure itself.
    if (!isDoorcodeError(error)) work.publish({ type: "store.failed", error });
    return { outcome: "store_unavailable" };
  } finally {
    leave();
  }
}

/** Takes the entity, or answers why the event is not to be handled. */
async function take<Scope>(
  { store, clock }: EventWork<Scope>,
  key: string,
  event: WebhookEvent,
  { isLate, replayed }: Processing,
): Promise<TakenEntity | "duplicate" | "stale" | "unfinished"> {
  while (!isLate()) {
    const lease = await takeLease(store, key, { clock, leaseSeconds, ttlSeconds });
    const record = readEntity(lease.value);
    const judgement = replayed ? undefined : judge(event, record);
    const refusal = judgement ?? (isLate() ? "unfinished" : undefined);
    if (refusal && lease.held) await lease.settle(lease.value);
    if (refusal) return refusal;
    if (lease.held) return { lease, record };
    await wait(clock, askAgainMilliseconds);
  }
  return "unfinished";
}

interface Handling extends TakenEntity {
  readonly leave: () => void;
  readonly handlerEnded: () => void;
  /** The record when the handler is done. */
  readonly complete: typeof withHandled;
}

async function handle<Scope>(work: EventWork<Scope>, event: WebhookEvent, handling: Handling): Promise<Processed> {
  const { lease, record } = handling;
  const attempt = await attemptHandler(work, event, handling);
  if (typeof attempt !== "object") return { outcome: attempt ? "handled" : "superseded" };
  const { error } = attempt;
  work.publish({ type: "webhook.failed", kind: event.kind, key: event.key, error });
  const isOurs = await lease.settle(JSON.stringify(withSeen(record, event)));
  return isOurs ? { outcome: "failed", error } : { outcome: "superseded" };
}

interface Failure {
  readonly error: unknown;
}

/** How far the handler got. */
interface Progress {
  begun: boolean;
  failure?: Failure | undefined;
}

/** Runs the handler and marks the event as handled, in one transaction where there are any. */
async function attemptHandler<Scope>(
  work: EventWork<Scope>,
  event: WebhookEvent,
  { lease, record, leave, handlerEnded, complete }: Handling,
): Promise<boolean | Failure> {
  const { signal, stop } = lease.keepAlive(work.handlerSeconds);
  // A handler that never settles must not keep later events of its entity waiting.
  signal.addEventListener("abort", leave, { once: true });
  const progress: Progress = { begun: false };
  try {
    const settled = await work.transactions.run(async (scope, settle) => {
      progress.begun = true;
      progress.failure = await runHandler(work, event, { ...scope, signal });
      handlerEnded();
      // Not a false: whoever keeps the transaction may know that the same is to be done once more.
      if (progress.failure) throw progress.failure.error;
      return lease.settle(JSON.stringify(complete(record, event)), settle);
    }, signal);
    return progress.failure ?? settled;
  } catch (error) {
    return progress.failure ?? judgeRejection(error, signal, progress);
  } finally {
    stop();
  }
}

/** What a transaction that rejected comes to; throws when it was not begun, or nobody knows whether it was committed. */
function judgeRejection(error: unknown, { aborted, reason }: AbortSignal, { begun }: Progress): boolean | Failure {
  const isGivenUp = aborted && error === reason;
  // Else at its limit: a handler that waits for a transaction all the while has not failed.
  if (isGivenUp && reason.name !== "TimeoutError") return false;
  if (isGivenUp && begun) return { error };
  if (isDoorcodeError(error) && error.code === "handler_failed") return { error };
  throw error;
}

/** Answers what the handler threw, if it threw. */
async function runHandler<Scope>(
  { handlers }: EventWork<Scope>,
  event: WebhookEvent,
  context: HandlerContext & Scope,
): Promise<Failure | undefined> {
  try {
    await callHandler(handlers, event, context);
    return undefined;
  } catch (error) {
    return { error };
  }
}
