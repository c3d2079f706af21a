import type { Reconciliation } from "./reconcile.ts";
import type { SignatureReason } from "./signature.ts";

/** An event of the service, as the kit's own events name it. */
interface NamedEvent {
  /** The kind of the service's event, such as `message.status.update`. */
  readonly kind: string;
  /** The event's key, the same in every delivery of it. */
  readonly key: string;
}

/** What the handler of the app took, with the time to store its outcome. */
interface TimedHandler {
  readonly durationSeconds: number;
}

/** Why deliveries keep failing: as they are answered, or `clock_off` if they are signed at another time than that of this machine. */
export type FailingReason =
  | "clock_off"
  | "signature_invalid"
  | "handler_failed"
  | "handler_unfinished"
  | "store_unavailable";

/** An event about a webhook delivery, for `onEvent`. */
export type WebhookDeliveryEvent =
  | { readonly type: "webhook.refused"; readonly reason: SignatureReason }
  | { readonly type: "webhook.body_already_read" }
  | { readonly type: "webhook.failing"; readonly reason: FailingReason; readonly count: number }
  | { readonly type: "webhook.unreadable"; readonly reason: "not_json" | "not_an_object" }
  | ({ readonly type: "webhook.persisted" } & NamedEvent)
  | ({ readonly type: "webhook.dead_lettered" } & NamedEvent)
  | ({ readonly type: "webhook.handled" } & TimedHandler & NamedEvent)
  | ({ readonly type: "webhook.duplicate" } & NamedEvent)
  | ({ readonly type: "webhook.stale" } & NamedEvent)
  | ({ readonly type: "webhook.failed"; readonly error: unknown } & TimedHandler & NamedEvent)
  | ({ readonly type: "webhook.unfinished" } & NamedEvent)
  | ({ readonly type: "webhook.superseded" } & NamedEvent)
  | ({ readonly type: "webhook.reconciled" } & Omit<Reconciliation, "next">)
  | { readonly type: "webhook.reconcile_failed"; readonly error: unknown }
  | { readonly type: "inbox.failed"; readonly error: unknown };
