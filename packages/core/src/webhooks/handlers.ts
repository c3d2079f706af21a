import type { EventEmitter } from "node:events";
import type { StoreEvent } from "../store/checked-store.ts";
import type { Store } from "../store/store.ts";
import type { Clock, Deadline } from "../util/clock.ts";
import type { Publish } from "../util/publish.ts";
import type { WebhookDeliveryEvent } from "./delivery-event.ts";
import type { CodeReport } from "./entity-record.ts";
import type { MessageStatusEvent, UnknownEvent, VerificationEvent } from "./event.ts";

/** The second argument of a webhook handler. */
export interface HandlerContext {
  /** Aborts when the handler took too long, or another process took over. Work after that may be done twice. */
  readonly signal: AbortSignal;
}

/**
 * A handler of one kind of event. The event is handled when it returns, and is delivered again when it throws.
 *
 * @typeParam Scope - the members that `webhooks.transactions` adds to the context.
 */
export type WebhookHandler<Event, Scope = unknown> = (event: Event, context: HandlerContext & Scope) => unknown;

/** The handlers of an app by kind of event. Events of a kind without a handler are acknowledged. */
export interface WebhookHandlers<Scope = unknown> {
  /** Handles a change of a message's delivery status. */
  readonly "message.status.update"?: WebhookHandler<MessageStatusEvent, Scope> | undefined;
  /** Handles a change of a verification's status, or of the delivery status of one of its messages. */
  readonly "verification.update"?: WebhookHandler<VerificationEvent, Scope> | undefined;
  /** Handles kinds that the specification does not have yet. */
  readonly unknown?: WebhookHandler<UnknownEvent, Scope> | undefined;
}

/** The dependencies of handling events. */
export interface EventDeps<Scope = unknown> {
  readonly store: Store;
  /** Emits the key of an entity after its record has changed. */
  readonly changes: Pick<EventEmitter, "emit">;
  readonly name: string;
  readonly handlers: WebhookHandlers<Scope>;
  /** Without transactions the handler runs first, and its event is marked afterwards. */
  readonly transactions?: EventTransactions<Scope> | undefined;
  /** Marks an event as handled where there are no transactions. Default: the store's `settle`. */
  readonly settleCompletion?: SettleFunction | undefined;
  /** The time that a handler may take before its signal aborts. */
  readonly handlerSeconds: number;
  readonly clock: Clock;
  readonly publish: Publish<WebhookDeliveryEvent | StoreEvent>;
  /** Learns what became of a code. Without a login, nothing needs to know. */
  readonly onCodeReport?: ((report: CodeReport) => Promise<void>) | undefined;
}

/** Options of handling one event. */
export interface HandleOptions {
  /** A handler that has not begun before the deadline does not begin. */
  readonly deadline: Deadline;
  /** True for an event that is replayed: it is handled again, also if it was handled before. */
  readonly replayed: boolean;
  /** True for an event that the inbox hands out again, after a failure or a replay. */
  readonly retried?: boolean;
  /** Called when the handler has returned or thrown, so that only its outcome is still to be stored. */
  readonly onHandlerEnd?: () => void;
  /** The largest number of events of the entity that may be queued before this one. Default: no limit. */
  readonly maxAhead?: number;
}

/**
 * The outcome of an event. `handled`, `duplicate` and `stale` are acknowledged. After any other the event must come again:
 * - `failed`: the handler threw.
 * - `unfinished`: nothing was decided in time. A handler that has begun goes on.
 * - `superseded`: another process took the event over while the handler worked, or this one is being closed.
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

/** The outcome of an event, and the error of a failure. */
export type HandledEvent =
  | { readonly outcome: Exclude<EventOutcome, "failed"> }
  | { readonly outcome: "failed"; readonly error: unknown };

/** The function that marks an event as handled: {@link Store.settle}, alone or within a database transaction. */
export type SettleFunction = Store["settle"];

/**
 * A database transaction around a handler and the record of its event: both are committed, or neither is.
 *
 * @typeParam Scope - the members that handlers get besides the event and its signal, such as a database client.
 */
export interface EventTransactions<Scope> {
  /** The store whose `settle` takes part. `createDoorcode` must get the same one: another store does not know the lease. */
  readonly store: Pick<Store, "settle">;
  /**
   * Runs work in a transaction in which `settle` takes part. Commits if the work resolves to true, else rolls back.
   * After a conflict with another transaction it may run the work again, in a new one.
   *
   * Rejects with the work's own error after rolling back; with `handler_failed` if the transaction was surely rolled
   * back because of what the work did in it; and with any other error if it could not be begun or its end is unknown.
   *
   * @param signal - aborts when the work is given up. The transaction is rolled back immediately, even if the work goes
   * on, and `run` rejects with the signal's reason.
   */
  run(work: (scope: Scope, settle: SettleFunction) => Promise<boolean>, signal: AbortSignal): Promise<boolean>;
}
