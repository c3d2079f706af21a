import { createHash } from "node:crypto";
import type { WebhookEvent } from "./event.ts";

const plainId = /^[\w.-]{1,64}$/;

/**
 * Names the store entry of what an event is about, which orders the events of one thing. An event without identifier
 * or readable instant has no order, and stands alone.
 *
 * @param name - the app's `name`, the beginning of all its keys.
 */
export function entityKey(name: string, event: WebhookEvent): string {
  const id = idOf(event);
  if (id === undefined || event.rank === "") return `${name}:webhook:event:${event.key}`;
  return keyOf(name, event.kind, id);
}

/** Names the store entry of a verification, where its delivery state stands: see `readDelivery`. */
export function verificationEntityKey(name: string, verificationId: string): string {
  return keyOf(name, "verification.update", verificationId);
}

function idOf(event: WebhookEvent): string | undefined {
  if (event.kind === "message.status.update") return event.data.message_id;
  return event.kind === "verification.update" ? event.data.verification_id : undefined;
}

/** An identifier that is long or has odd characters goes in as its hash; the colon keeps the two apart. */
function keyOf(name: string, kind: string, id: string): string {
  const part = plainId.test(id) ? id : `sha256:${createHash("sha256").update(id).digest("hex")}`;
  return `${name}:webhook:${kind}:${part}`;
}
