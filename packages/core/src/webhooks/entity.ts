import { createHash } from "node:crypto";
import type { WebhookEvent } from "./event.ts";

const plainId = /^[\w.-]{1,64}$/;

/**
 * Returns the store key of an event's entity: its message, its verification, or the event alone. Events of one entity
 * are handled in order. An event without an identifier or a readable instant has no order, so it gets a key of its own.
 *
 * @param name - the app's `name`, the prefix of all its keys.
 */
export function entityKey(name: string, event: WebhookEvent): string {
  const id = idOf(event);
  if (id === undefined || event.rank === "") return `${name}:webhook:event:${event.key}`;
  return keyOf(name, event.kind, id);
}

/** Returns the store key of a verification. Its value holds the delivery state, which `readDelivery` reads. */
export function verificationEntityKey(name: string, verificationId: string): string {
  return keyOf(name, "verification.update", verificationId);
}

/** Returns the store key of a message. Its value holds the delivery state, which `readDelivery` reads. */
export function messageEntityKey(name: string, messageId: string): string {
  return keyOf(name, "message.status.update", messageId);
}

/** Returns the store key that tells that a message carried the code of a login, and to which number. */
export function codeMessageKey(name: string, messageId: string): string {
  return keyOf(name, "code", messageId);
}

function idOf(event: WebhookEvent): string | undefined {
  if (event.kind === "message.status.update") return event.data.message_id;
  return event.kind === "verification.update" ? event.data.verification_id : undefined;
}

/** An identifier that is long or has special characters is hashed. No plain identifier has the colon of the prefix. */
function keyOf(name: string, kind: string, id: string): string {
  const part = plainId.test(id) ? id : `sha256:${createHash("sha256").update(id).digest("hex")}`;
  return `${name}:webhook:${kind}:${part}`;
}
