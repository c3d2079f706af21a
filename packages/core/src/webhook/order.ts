import { type DeliveryState, withDelivery } from "./delivery-state.ts";
import type { WebhookEvent } from "./event.ts";

/** The record of an entity: a message, a verification, or a single event that cannot be ordered. */
export interface EntityRecord {
  /** The rank of the newest event that was handled; empty if there is none. */
  readonly rank: string;
  /** The keys of the handled events with that rank. */
  readonly keys: readonly string[];
  /** True for a message in a terminal status, which is never downgraded. */
  readonly final: boolean;
  /** The delivery state, from all received events, handled or not. */
  readonly seen?: DeliveryState | undefined;
}

/** The terminal statuses that the specification names. */
const terminalStatuses: readonly unknown[] = ["FAILED", "DELIVERED"];

/** No real entity has more events at one instant. The oldest keys beyond the limit are dropped. */
const maxKeys = 32;

/**
 * Returns "duplicate" for an event that was handled before, "stale" for an event after which a newer or a final one was
 * handled, and `undefined` for an event that must be handled.
 *
 * Events at the same instant have no order, so all of them are handled.
 *
 * @see "Delivery guarantees" and "Message statuses" of the specification
 */
export function checkOrder(event: WebhookEvent, record: EntityRecord): "duplicate" | "stale" | undefined {
  if (record.keys.includes(event.key)) return "duplicate";
  return record.final || event.rank < record.rank ? "stale" : undefined;
}

/** Returns the record after an event was handled. */
export function withHandled(record: EntityRecord, event: WebhookEvent): EntityRecord {
  const keys = event.rank > record.rank ? [event.key] : [...record.keys, event.key].slice(-maxKeys);
  const { seen } = withSeen(record, event);
  return { rank: event.rank, keys, final: isFinal(event), seen };
}

/** Returns the record after a replayed event was handled. Newer events and a final status stay. */
export function withReplayed(record: EntityRecord, event: WebhookEvent): EntityRecord {
  const isKnown = event.rank < record.rank || record.keys.includes(event.key);
  const handled = isKnown ? withSeen(record, event) : withHandled(record, event);
  return { ...handled, final: record.final || handled.final };
}

/** Returns the record after an event whose handler failed: only the delivery state, for the login page, is updated. */
export function withSeen(record: EntityRecord, event: WebhookEvent): EntityRecord {
  if (event.kind === "unknown") return record;
  return { ...record, seen: withDelivery(record.seen, event) };
}

/** Only a message can be final. A verification has several channels: after a failed SMS, WhatsApp may still deliver. */
function isFinal(event: WebhookEvent): boolean {
  return event.kind === "message.status.update" && terminalStatuses.includes(event.data.status);
}
