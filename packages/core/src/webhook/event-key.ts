import { createHash } from "node:crypto";
import type { JsonObject } from "./event-kind.ts";

/** Names a status of a message: a service that tells the same change again in other words tells the same event. */
export function statusKey(messageId: string, status: string, rank: string): string {
  return sha256(JSON.stringify([messageId, status, rank]));
}

/**
 * Names a payload by its content, whatever the order of its members.
 *
 * @param body - the text it was parsed from, which names it when it is nested too deeply to be written out again.
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
