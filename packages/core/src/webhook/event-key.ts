import { createHash } from "node:crypto";
import type { JsonObject } from "./event-kind.ts";

/** Returns the key of a message's status. The same change has the same key, even if its payload differs otherwise. */
export function statusKey(messageId: string, status: string, rank: string): string {
  return sha256(JSON.stringify([messageId, status, rank]));
}

/**
 * Returns the key of a payload: a hash of its content. The order of the members does not matter.
 *
 * @param body - the text of the payload. It is hashed instead if the payload is nested too deeply to be serialized.
 * @see "Delivery guarantees", 4, of the specification
 */
export function payloadKey(payload: JsonObject, body: string): string {
  try {
    return sha256(JSON.stringify(payload, withSortedMembers));
  } catch {
    return sha256(body);
  }
}

function withSortedMembers(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

function sha256(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}
