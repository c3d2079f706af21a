import { hash, randomUUID } from "node:crypto";
import { z } from "zod";
import { parseText } from "../store/record.ts";
import { optionalIdentifier, optionalInstant, optionalText } from "../util/wire-fields.ts";
import type { MessageStatusEvent, UnknownEvent, UnreadableEvent, WebhookEvent } from "./event.ts";
import { rankInstant } from "./instant.ts";

type JsonObject = Readonly<Record<string, unknown>>;

const baseData = z.looseObject({ status: optionalText, channel: optionalText, recipient: optionalText });
const messageData = baseData.extend({ message_id: optionalIdentifier, status_updated_at: optionalInstant });
const verificationData = baseData.extend({
  verification_id: optionalIdentifier,
  updated_at: optionalInstant,
  channel_status: optionalText,
});

/** Strips a byte order mark. Bytes that are not UTF-8 become U+FFFD, so that a bad byte does not lose the event. */
const decoder = new TextDecoder();

/** Decodes a body as {@link parseEvent} does. */
export function decodeBody(body: Uint8Array): string {
  return decoder.decode(body);
}

/**
 * Parses the body of a verified delivery into a typed event. Never throws: fields of a wrong type are `undefined`, and
 * a body that is not a JSON object gives `{ unreadable }`.
 *
 * @param body - the exact bytes. Verify their signature first.
 * @see "Payloads" of the specification
 */
export function parseEvent(body: Uint8Array): WebhookEvent | UnreadableEvent {
  return parseEventText(decodeBody(body));
}

/** Parses a body that {@link decodeBody} has decoded, as {@link parseEvent} parses its bytes. */
export function parseEventText(body: string): WebhookEvent | UnreadableEvent {
  const payload = parseText(body);
  if (payload === undefined) return { unreadable: "not_json" };
  if (!isJsonObject(payload)) return { unreadable: "not_an_object" };
  const data = isJsonObject(payload.data) ? payload.data : {};
  const { kind, name } = decideKind(payload, data);
  if (kind === "message.status.update") return messageStatusEvent(payload, data, body);
  const key = payloadKey(payload, body);
  if (kind === "unknown") return { kind, name, key, occurredAt: undefined, rank: "", data, payload, body };
  const known = verificationData.parse(data);
  const occurredAt = known.updated_at;
  return { kind, key, occurredAt, rank: rankInstant(occurredAt), data: known, payload, body };
}

/** The key of a message's change is made of what identifies it, so that a listed message has the key of its webhook. */
function messageStatusEvent(payload: JsonObject, raw: JsonObject, body: string): MessageStatusEvent {
  const data = messageData.parse(raw);
  const { message_id, status, status_updated_at: occurredAt } = data;
  const rank = rankInstant(occurredAt);
  const isNamed = message_id !== undefined && status !== undefined && rank !== "";
  const key = isNamed ? hash("sha256", JSON.stringify([message_id, status, rank])) : payloadKey(payload, body);
  return { kind: "message.status.update", key, occurredAt, rank, data, payload, body };
}

/**
 * Returns the key of a payload: a hash of its content. The order of the members does not matter.
 *
 * @see "Delivery guarantees", 4, of the specification
 */
function payloadKey(payload: JsonObject, body: string): string {
  try {
    return hash("sha256", JSON.stringify(payload, withSortedMembers));
  } catch {
    // The payload is nested too deeply to be serialized.
    return hash("sha256", body);
  }
}

function withSortedMembers(_name: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

const knownKinds = ["message.status.update", "verification.update"] as const;

/**
 * Decides the kind of a payload: by its instant, then by a name in its envelope, then by its identifiers.
 *
 * The instant comes first because the specification defines which instant belongs to which kind, and does not show the
 * envelope. A name of any other kind, such as one announced for later, makes the event unknown, whatever its data is.
 *
 * @see "Payloads" of the specification
 */
function decideKind(payload: JsonObject, data: JsonObject): Pick<UnknownEvent, "name"> & Pick<WebhookEvent, "kind"> {
  const names = [payload.event, payload.event_type, payload.type].filter((name) => typeof name === "string");
  const known = knownKinds.find((kind) => names.includes(kind));
  // The name of a kind has a dot. A single word ("event", "webhook") may mean anything.
  const otherKind = known ? undefined : names.find((name) => name.includes("."));
  if (otherKind !== undefined) return { kind: "unknown", name: otherKind };
  return { kind: kindByInstant(data) ?? known ?? kindByIdentifier(data), name: known ?? names[0] };
}

function kindByInstant(data: JsonObject): WebhookEvent["kind"] | undefined {
  const ofMessage = data.status_updated_at != null;
  const ofVerification = data.updated_at != null;
  if (ofMessage === ofVerification) return undefined;
  return ofMessage ? "message.status.update" : "verification.update";
}

/** A message with a one-time passcode has both identifiers. Its status is reported as a change of its verification. */
function kindByIdentifier(data: JsonObject): WebhookEvent["kind"] {
  if (data.verification_id != null) return "verification.update";
  return data.message_id != null ? "message.status.update" : "unknown";
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const checkName = "doorcode.check";

/**
 * Creates the body of a test delivery. It is an event that the service never sends: the kit acknowledges it without a handler,
 * a store or an inbox, and to an app that verifies deliveries itself it is an event of an unknown kind.
 */
export function createCheckBody(): string {
  return JSON.stringify({ event: checkName, data: { id: randomUUID() } });
}

/** Tells whether a verified event is a test delivery. */
export function isCheckEvent(event: WebhookEvent): boolean {
  return event.kind === "unknown" && event.name === checkName;
}
