import type { SignatureReason } from "./signature.ts";

interface NamedEvent {
  /** The kind of the service's event, such as `message.status.update`. */
  readonly kind: string;
  /** The event's key, the same in every delivery of it. */
  readonly key: string;
}

interface Retried {
  /** True if the inbox handed the event out again, after a failure or a replay. */
  readonly retried?: true;
}

/** What the handler of the app took, with the time to store its outcome. */
interface TimedHandler {
  readonly durationSeconds: number;
}

/** Why deliveries keep failing: `clock_off` if they are signed at another time than that of this machine. */
export type FailingReason =
  | "clock_off"
  | "signature_invalid"
  | "handler_failed"
  | "handler_unfinished"
  | "store_unavailable";

/** What a reconciliation has counted. */
export interface ReconciledCounts {
  /** The number of messages that the service listed. */
  readonly listed: number;
  /** Of these, the messages with a readable change since `since`. */
  readonly changed: number;
  /** Of these, the changes that were handled now or, with an inbox, stored for the workers. */
  readonly accepted: number;
  /** The changes that were handled before, or are older than a handled one. 0 with an inbox: only its workers know. */
  readonly known: number;
  /** The changes whose handler failed or was late, or that could not be stored. `next` includes them. */
  readonly failed: number;
}

/** An event about a webhook delivery, for `onEvent`. */
export type WebhookDeliveryEvent =
  | { readonly type: "webhook.refused"; readonly reason: SignatureReason }
  | { readonly type: "webhook.body_already_read" }
  | { readonly type: "webhook.failing"; readonly reason: FailingReason; readonly count: number }
  | { readonly type: "webhook.unreadable"; readonly reason: "not_json" | "not_an_object" }
  | ({ readonly type: "webhook.persisted" } & NamedEvent)
  | ({ readonly type: "webhook.dead_lettered" } & NamedEvent)
  | ({
      readonly type: "webhook.handled";
      /** The time from the event until now. None if the event does not say when it was. */
      readonly lagSeconds?: number;
    } & TimedHandler &
      NamedEvent &
      Retried)
  | ({ readonly type: "webhook.duplicate" } & NamedEvent & Retried)
  | ({ readonly type: "webhook.stale" } & NamedEvent & Retried)
  | ({ readonly type: "webhook.failed"; readonly error: unknown } & TimedHandler & NamedEvent)
  | ({ readonly type: "webhook.unfinished" } & NamedEvent)
  | ({ readonly type: "webhook.superseded" } & NamedEvent & Retried)
  | ({ readonly type: "webhook.reconciled" } & ReconciledCounts)
  | { readonly type: "webhook.reconcile_failed"; readonly error: unknown }
  | { readonly type: "inbox.failed"; readonly error: unknown };
