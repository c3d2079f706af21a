import { z } from "zod";
import { readRecord } from "../store/record.ts";
import { type DeliveryState, deliveryState, withDelivery } from "./delivery-state.ts";
import type { WebhookEvent } from "./event.ts";

/** What is kept of the thing that events are about: a message, a verification, or an event that stands alone. */
export interface EntityRecord {
  /** The instant of the newest event that was handled; empty when there is none. */
  readonly rank: string;
  /** The keys of the events handled at that instant. */
  readonly keys: readonly string[];
  /** A message in a terminal status, from which it is never downgraded. */
  readonly final: boolean;
  /** Delivery as told by every event that came, handled or not. */
  readonly seen?: DeliveryState | undefined;
}

const entityRecord: z.ZodType<EntityRecord> = z.object({
  rank: z.string(),
  keys: z.array(z.string()),
  final: z.boolean(),
  seen: deliveryState.optional(),
});

const blank: EntityRecord = { rank: "", keys: [], final: false };

/** The terminal statuses that the specification names. */
const terminalStatuses: readonly unknown[] = ["FAILED", "DELIVERED"];

/** Nothing honest has that many events at one instant; the oldest key is forgotten beyond it. */
const maxKeys = 32;

/** Reads what the store has on an entity; blank for nothing, and for what cannot be read. */
export function readEntity(value: string | undefined): EntityRecord {
  return readRecord(entityRecord, value) ?? blank;
}

/**
 * Reads the delivery state out of a verification's store entry, which `verificationEntityKey` names; `undefined` while
 * no event has come.
 */
export function readDelivery(value: string | undefined): DeliveryState | undefined {
  return readEntity(value).seen;
}

/**
 * Returns "duplicate" for an event that was handled before, "stale" for one that a newer one has overtaken, and `undefined` for one to handle.
 *
 * Events at one instant are not older than each other, and all are handled.
 *
 * @see "Delivery guarantees" and "Message statuses" of the specification
 */
export function checkOrder(event: WebhookEvent, record: EntityRecord): "duplicate" | "stale" | undefined {
  if (record.keys.includes(event.key)) return "duplicate";
  return record.final || event.rank < record.rank ? "stale" : undefined;
}

/** The record after an event was handled. */
export function withHandled(record: EntityRecord, event: WebhookEvent): EntityRecord {
  const keys = event.rank > record.rank ? [event.key] : [...record.keys, event.key].slice(-maxKeys);
  return { ...withSeen(record, event), rank: event.rank, keys, final: isFinal(event) };
}

/** The record after an event was handled once more at somebody's wish: what is newer stays, and so does what is final. */
export function withReplayed(record: EntityRecord, event: WebhookEvent): EntityRecord {
  const isKnown = event.rank < record.rank || record.keys.includes(event.key);
  const handled = isKnown ? withSeen(record, event) : withHandled(record, event);
  return { ...handled, final: record.final || handled.final };
}

/** The record after an event came and was not handled: it may come again, but the login page knows. */
export function withSeen(record: EntityRecord, event: WebhookEvent): EntityRecord {
  if (event.kind !== "verification.update") return record;
  return { ...record, seen: withDelivery(record.seen, event) };
}

/** Only messages: a verification also carries the delivery of each channel, and a failed SMS must not hide what WhatsApp does. */
function isFinal(event: WebhookEvent): boolean {
  return event.kind === "message.status.update" && terminalStatuses.includes(event.data.status);
}
