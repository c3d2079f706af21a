import { type DeliveryState, withDelivery } from "./delivery-state.ts";
import type { WebhookEvent } from "./event.ts";
import { millisecondsOf } from "./instant.ts";

/** The record of an entity: a message, a verification, or a single event that cannot be ordered. */
export interface EntityRecord {
  /** The rank of the newest event whose handler has begun; empty if there is none. */
  readonly rank: string;
  /** The keys of the handled events with that rank. Empty if the handler has begun only. */
  readonly keys: readonly string[];
  /** True once a handler has begun for a terminal status of a message, which is never downgraded. */
  readonly final: boolean;
  /** The delivery state, from all received events, handled or not. */
  readonly seen?: DeliveryState | undefined;
}

/** The terminal statuses that the specification names. */
const terminalStatuses: readonly unknown[] = ["FAILED", "DELIVERED"];

/** No real entity has more events at one instant. The oldest keys beyond the limit are dropped. */
const maxKeys = 32;

/** An instant that is further ahead of the clock is wrong. */
const maxAheadMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Returns the event as it is ordered. An instant more than a day ahead of the clock would make all later events stale, so such an
 * event counts as one at the instant of the newest known event.
 */
export function orderedEvent(event: WebhookEvent, record: EntityRecord, nowMilliseconds: number): WebhookEvent {
  const isAhead = millisecondsOf(event.rank) > nowMilliseconds + maxAheadMilliseconds;
  return isAhead ? { ...event, rank: record.rank } : event;
}

/**
 * Returns "duplicate" for an event that was handled before, "stale" for an older event than one whose handler has begun and for
 * any event after a final one was handled, and `undefined` for an event that must be handled.
 *
 * Events at the same instant have no order, so all of them are handled. A terminal status comes after all others.
 *
 * @see "Delivery guarantees" and "Message statuses" of the specification
 */
export function checkOrder(event: WebhookEvent, record: EntityRecord): "duplicate" | "stale" | undefined {
  if (record.keys.includes(event.key)) return "duplicate";
  const isDone = record.final && record.keys.length > 0;
  return isDone || isOvertaken(event, record) ? "stale" : undefined;
}

function isOvertaken(event: WebhookEvent, record: EntityRecord): boolean {
  return event.rank < record.rank || (record.final && !isFinal(event));
}

/** Returns the record with an event whose handler begins: the same record if that changes nothing. */
export function withBegun(record: EntityRecord, event: WebhookEvent): EntityRecord {
  const final = isFinal(event);
  if (event.rank === record.rank && final === record.final) return record;
  return { ...record, rank: event.rank, keys: [], final };
}

/** Returns the record after an event was handled. */
export function withHandled(record: EntityRecord, event: WebhookEvent): EntityRecord {
  const keys = event.rank > record.rank ? [event.key] : [...record.keys, event.key].slice(-maxKeys);
  const { seen } = withSeen(record, event);
  return { rank: event.rank, keys, final: record.final || isFinal(event), seen };
}

/** Returns the record after a replayed event was handled. Newer events and a final status stay. */
export function withReplayed(record: EntityRecord, event: WebhookEvent): EntityRecord {
  const isKnown = isOvertaken(event, record) || record.keys.includes(event.key);
  return isKnown ? withSeen(record, event) : withHandled(record, event);
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
