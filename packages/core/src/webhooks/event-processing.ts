import type { PhoneNumber } from "../phone/phone-number.ts";
import type { StoreEvent } from "../store/fail-closed.ts";
import type { Store } from "../store/store.ts";
import type { ChangeListeners } from "../util/change-listeners.ts";
import type { Clock } from "../util/clock.ts";
import type { Publish } from "../util/publish.ts";
import type { WebhookDeliveryEvent } from "./delivery-event.ts";
import type { EventTransactions } from "./event-transactions.ts";
import type { WebhookHandlers } from "./handlers.ts";

/** The dependencies of handling events. */
export interface EventDeps<Scope = unknown> {
  readonly store: Store;
  readonly changes: Pick<ChangeListeners, "announce">;
  /** The prefix of the app's keys in the store. */
  readonly name: string;
  readonly handlers: WebhookHandlers<Scope>;
  readonly transactions: EventTransactions<Scope>;
  /** True if a transaction takes back what an interrupted handler did. */
  readonly rollsBack: boolean;
  /** The time that a handler may take before its signal aborts. */
  readonly handlerSeconds: number;
  readonly clock: Clock;
  readonly publish: Publish<WebhookDeliveryEvent | StoreEvent>;
  /** Learns of a number that a code could not reach. Without a login there is nobody who wants to know. */
  readonly countUndelivered?: ((number: PhoneNumber) => Promise<void>) | undefined;
}

/** Options of handling one event. */
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
