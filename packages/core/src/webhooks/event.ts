import { hash, randomUUID } from "node:crypto";
import { z } from "zod";
import { optionalIdentifier, optionalInstant, optionalText } from "../service/fields.ts";
import { parseExact, parseText } from "../store/checked-store.ts";

/** An instant as the service wrote it: ISO 8601, or Unix seconds or milliseconds as a number or text. */
export type EventInstant = string | number;

interface BaseEvent {
  /** The event's key, the same in every delivery of it, for deduplication and idempotency. Hexadecimal. */
  readonly key: string;
  /** The instant of the event, as the service wrote it. `undefined` if the event has none. */
  readonly occurredAt: EventInstant | undefined;
  /** `occurredAt` as text that sorts by time, with all digits. Empty if it cannot be read. */
  readonly rank: string;
  /** The signed body as text. Bytes that are not UTF-8 are U+FFFD. */
  readonly body: string;
  /** The body, parsed. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * The data of an event. The specification defines only the identifier and the instant. The other known fields are `undefined` if the
 * service omits them or sends another type. Unknown fields are passed through.
 */
interface BaseData {
  /** The status of the message or verification. */
  readonly status?: string | undefined;
  /** The name of the channel, such as `SMS`. */
  readonly channel?: string | undefined;
  /** The phone number of the recipient. */
  readonly recipient?: string | undefined;
  readonly [field: string]: unknown;
}

/** The `data` of a {@link MessageStatusEvent}. */
export interface MessageData extends BaseData {
  /** The identifier of the message. */
  readonly message_id?: string | undefined;
  /** The instant at which the status changed. */
  readonly status_updated_at?: EventInstant | undefined;
}

/** The `data` of a {@link VerificationEvent}. */
export interface VerificationData extends BaseData {
  /** The identifier of the verification. */
  readonly verification_id?: string | undefined;
  /** The instant at which the verification changed. */
  readonly updated_at?: EventInstant | undefined;
  /** The delivery status of the message on `channel`. */
  readonly channel_status?: string | undefined;
}

/** A change of an outbound message's delivery status: to `QUEUED`, `SENT`, `FAILED`, `DELIVERED`, or a new one. */
export interface MessageStatusEvent extends BaseEvent {
  readonly kind: "message.status.update";
  readonly data: MessageData;
}

/** A change of a verification's status, or of the delivery status of one of its messages. */
export interface VerificationEvent extends BaseEvent {
  readonly kind: "verification.update";
  readonly data: VerificationData;
}

/** An event of a kind that the specification does not define. */
export interface UnknownEvent extends BaseEvent {
  readonly kind: "unknown";
  /** The name of the kind in the envelope. */
  readonly name: string | undefined;
  /** The `data` of the payload; empty if it is not an object. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event of the service. `kind` narrows its type. @see "Events" of the specification */
export type WebhookEvent = MessageStatusEvent | VerificationEvent | UnknownEvent;

/** A body that is signed but is not an event. Delivering it again would not help. */
export interface UnreadableEvent {
  /** The reason: the body is not JSON, or is JSON but not an object. */
  readonly unreadable: "not_json" | "not_an_object";
}

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
 * Parses the body of a verified delivery into a typed event. Never throws: fields of a wrong type are `undefined`, and a body that is not a
 * JSON object gives `{ unreadable }`.
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
  const key = payloadKey(body);
  if (kind === "unknown") return { kind, name, key, occurredAt: undefined, rank: "", data, payload, body };
  const known = verificationData.parse(withExactNumbers(data, ["verification_id", "updated_at"], body));
  const occurredAt = known.updated_at;
  return { kind, key, occurredAt, rank: rankInstant(occurredAt), data: known, payload, body };
}

/** The key of a message's change is made of what identifies it, so that a listed message has the key of its webhook. */
function messageStatusEvent(payload: JsonObject, raw: JsonObject, body: string): MessageStatusEvent {
  const data = messageData.parse(withExactNumbers(raw, ["message_id", "status_updated_at"], body));
  const { message_id, status, status_updated_at: occurredAt } = data;
  const rank = rankInstant(occurredAt);
  const isNamed = message_id !== undefined && status !== undefined && rank !== "";
  const key = isNamed ? hash("sha256", JSON.stringify([message_id, status, rank])) : payloadKey(body);
  return { kind: "message.status.update", key, occurredAt, rank, data, payload, body };
}

/** Returns the data with the text of each of these numbers that has lost digits in parsing, as a listed message has it. */
function withExactNumbers(data: JsonObject, names: readonly string[], body: string): JsonObject {
  const numbers = names.filter((name) => Number.isFinite(data[name]));
  const exact = numbers.length > 0 ? parseExact(body) : undefined;
  if (!isJsonObject(exact) || !isJsonObject(exact.data)) return data;
  const { data: exactData } = exact;
  return { ...data, ...Object.fromEntries(numbers.map((name) => [name, exactData[name]])) };
}

/** The order of the members does not matter. @see "Delivery guarantees", 4, of the specification */
function payloadKey(body: string): string {
  const exact = parseExact(body);
  try {
    if (exact) return hash("sha256", JSON.stringify(exact, withSortedMembers));
  } catch {
    // The payload is nested too deeply to be serialized.
  }
  return hash("sha256", body);
}

function withSortedMembers(_name: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

const knownKinds = ["message.status.update", "verification.update"] as const;

/**
 * Decides the kind of a payload: by its instant, then by a name in its envelope, then by its identifiers. The instant comes first because
 * the specification defines which instant belongs to which kind, and does not show the envelope. The name of any other kind, such as one
 * announced for later, makes the event unknown.
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
 * Creates the body of a test delivery. The service never sends this event: the kit acknowledges it without a handler, a store or an inbox.
 * To an app that verifies deliveries itself it is an event of an unknown kind.
 */
export function createCheckBody(): string {
  return JSON.stringify({ event: checkName, data: { id: randomUUID() } });
}

/** Tells whether a verified event is a test delivery. */
export function isCheckEvent(event: WebhookEvent): boolean {
  return event.kind === "unknown" && event.name === checkName;
}

const maxCharacters = 64;
const isoForm =
  /^(?<date>\d{4}-\d\d-\d\d)[Tt ](?<minute>\d\d:\d\d)(?::(?<seconds>[0-5]\d|60)(?:[.,](?<fraction>\d+))?)?(?<zone>.*)$/;
const offsetForm = /^(?<sign>[+-])(?<hours>[01]\d|2[0-3])(?::?(?<minutes>[0-5]\d))?$/;
const epochForm = /^(?<count>\d{1,14})(?:\.(?<fraction>\d+))?$/;

/** A number from here on means milliseconds: as seconds it would be the year 5138, as milliseconds it is 1973. */
const firstMilliseconds = 1e11;

/**
 * Returns the rank of an instant: text that sorts bytewise by time, the same for all spellings, with every digit of a fraction. It is empty
 * if the instant cannot be read or is before 1970. The specification defines no format: accepted are ISO 8601 with any offset (UTC if there
 * is none), and Unix seconds or milliseconds as a number or text.
 * @see "Delivery guarantees", 3, of the specification
 */
export function rankInstant(instant: unknown): string {
  if (typeof instant !== "string" && typeof instant !== "number") return "";
  const text = String(instant);
  if (text.length > maxCharacters) return "";
  return rankIso(text) ?? rankEpoch(text) ?? "";
}

/** Returns the instant of a rank as Unix milliseconds, rounded down. */
export function millisecondsOf(rank: string): number {
  const [seconds = "", fraction = ""] = rank.split(".");
  return Number(seconds) * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
}

function rankIso(text: string): string | undefined {
  const parts = isoForm.exec(text)?.groups;
  if (!parts) return undefined;
  const { date, minute, seconds = "0", fraction = "", zone = "" } = parts;
  const beginning = `${date}T${minute}`;
  const milliseconds = Date.parse(`${beginning}Z`);
  const offset = offsetSeconds(zone);
  if (Number.isNaN(milliseconds) || offset === undefined) return undefined;
  // `Date` takes 30 February for a day of March, and 24:00 for the next day.
  if (!new Date(milliseconds).toISOString().startsWith(beginning)) return undefined;
  return rankOf(milliseconds / 1000 + Number(seconds) - offset, fraction);
}

/** Reads an offset such as `+02:00`, `-0330` or `+01`. There is none in UTC. */
function offsetSeconds(zone: string): number | undefined {
  if (zone === "" || zone.toUpperCase() === "Z") return 0;
  const parts = offsetForm.exec(zone)?.groups;
  if (!parts) return undefined;
  const { sign, hours, minutes = "0" } = parts;
  const seconds = (Number(hours) * 60 + Number(minutes)) * 60;
  return sign === "-" ? -seconds : seconds;
}

function rankEpoch(text: string): string | undefined {
  const parts = epochForm.exec(text)?.groups;
  if (!parts) return undefined;
  const { fraction = "" } = parts;
  const count = Number(parts.count);
  if (count < firstMilliseconds) return rankOf(count, fraction);
  return rankOf(Math.floor(count / 1000), String(count % 1000).padStart(3, "0") + fraction);
}

function rankOf(seconds: number, fraction: string): string | undefined {
  if (seconds < 0) return undefined;
  return `${String(seconds).padStart(12, "0")}.${fraction.replace(/0+$/, "")}`;
}
