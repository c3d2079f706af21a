import { z } from "zod";
import { optionalIdentifier, optionalInstant, optionalText } from "../primitives/wire-fields.ts";
import type { MessageStatusEvent, VerificationEvent, WebhookEvent } from "./event.ts";
import { payloadKey, statusKey } from "./event-key.ts";
import { decideKind, type JsonObject } from "./event-kind.ts";
import { rankInstant } from "./instant.ts";

/** A body that is signed but is not an event. Delivering it again would not help. */
export interface UnreadableEvent {
  /** The reason: the body is not JSON, or is JSON but not an object. */
  readonly unreadable: "not_json" | "not_an_object";
}

const commonFields = { status: optionalText, channel: optionalText, recipient: optionalText };
const messageData = z.looseObject({
  ...commonFields,
  message_id: optionalIdentifier,
  status_updated_at: optionalInstant,
});
const verificationData = z.looseObject({
  ...commonFields,
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
  const text = decodeBody(body);
  const payload = parseJson(text);
  if (payload === undefined) return { unreadable: "not_json" };
  if (!isObject(payload)) return { unreadable: "not_an_object" };
  const data = isObject(payload.data) ? payload.data : {};
  const { kind, name } = decideKind(payload, data);
  if (kind === "message.status.update") return messageStatusEvent(payload, data, text);
  if (kind === "verification.update") return verificationEvent(payload, data, text);
  return { kind, name, key: payloadKey(payload, text), occurredAt: undefined, rank: "", data, payload, body: text };
}

function messageStatusEvent(payload: JsonObject, raw: JsonObject, body: string): MessageStatusEvent {
  const data = messageData.parse(raw);
  const { message_id, status, status_updated_at: occurredAt } = data;
  const rank = rankInstant(occurredAt);
  const named = message_id !== undefined && status !== undefined && rank !== "";
  const key = named ? statusKey(message_id, status, rank) : payloadKey(payload, body);
  return { kind: "message.status.update", key, occurredAt, rank, data, payload, body };
}

function verificationEvent(payload: JsonObject, raw: JsonObject, body: string): VerificationEvent {
  const data = verificationData.parse(raw);
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

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
