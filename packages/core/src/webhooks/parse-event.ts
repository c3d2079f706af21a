import { readIdentifier, readInstant, readText } from "../util/wire-fields.ts";
import type { MessageData, MessageStatusEvent, VerificationData, VerificationEvent, WebhookEvent } from "./event.ts";
import { payloadKey, statusKey } from "./event-key.ts";
import { decideKind, isJsonObject, type JsonObject } from "./event-kind.ts";
import { rankInstant } from "./instant.ts";

/** A body that is signed but is not an event. Delivering it again would not help. */
export interface UnreadableEvent {
  /** The reason: the body is not JSON, or is JSON but not an object. */
  readonly unreadable: "not_json" | "not_an_object";
}

/** The known fields and their readers. A schema would take longer to read them than the signature takes. */
type KnownFields = readonly (readonly [name: string, read: (value: unknown) => unknown])[];

const commonFields: KnownFields = [
  ["status", readText],
  ["channel", readText],
  ["recipient", readText],
];
const messageFields: KnownFields = [
  ...commonFields,
  ["message_id", readIdentifier],
  ["status_updated_at", readInstant],
];
const verificationFields: KnownFields = [
  ...commonFields,
  ["verification_id", readIdentifier],
  ["updated_at", readInstant],
  ["channel_status", readText],
];

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
  return parseDecodedEvent(decodeBody(body));
}

/** Parses a body that {@link decodeBody} has decoded, as {@link parseEvent} parses its bytes. */
export function parseDecodedEvent(text: string): WebhookEvent | UnreadableEvent {
  const payload = parseJson(text);
  if (payload === undefined) return { unreadable: "not_json" };
  if (!isJsonObject(payload)) return { unreadable: "not_an_object" };
  const data = isJsonObject(payload.data) ? payload.data : {};
  const { kind, name } = decideKind(payload, data);
  if (kind === "message.status.update") return messageStatusEvent(payload, data, text);
  if (kind === "verification.update") return verificationEvent(payload, data, text);
  return { kind, name, key: payloadKey(payload, text), occurredAt: undefined, rank: "", data, payload, body: text };
}

function messageStatusEvent(payload: JsonObject, raw: JsonObject, body: string): MessageStatusEvent {
  const data: MessageData = readFields(raw, messageFields);
  const { message_id, status, status_updated_at: occurredAt } = data;
  const rank = rankInstant(occurredAt);
  const named = message_id !== undefined && status !== undefined && rank !== "";
  const key = named ? statusKey(message_id, status, rank) : payloadKey(payload, body);
  return { kind: "message.status.update", key, occurredAt, rank, data, payload, body };
}

function verificationEvent(payload: JsonObject, raw: JsonObject, body: string): VerificationEvent {
  const data: VerificationData = readFields(raw, verificationFields);
  const occurredAt = data.updated_at;
  const key = payloadKey(payload, body);
  return { kind: "verification.update", key, occurredAt, rank: rankInstant(occurredAt), data, payload, body };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Reads the known fields, and passes the others on. A field that is not there stays away. Most data is right as it came. */
function readFields(raw: JsonObject, knownFields: KnownFields): JsonObject {
  let changed: Record<string, unknown> | undefined;
  for (const [name, read] of knownFields) {
    const value = read(raw[name]);
    if (value === raw[name]) continue;
    changed ??= { ...raw };
    changed[name] = value;
  }
  if (!Object.hasOwn(raw, "__proto__")) return changed ?? raw;
  // If an app copied this field by an assignment, it would set the prototype of the copy.
  const fields = changed ?? { ...raw };
  Reflect.deleteProperty(fields, "__proto__");
  return fields;
}
