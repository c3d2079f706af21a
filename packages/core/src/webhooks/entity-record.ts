import { hash } from "node:crypto";
import { z } from "zod";
import { type PhoneNumber, parseE164 } from "../phone/phone-number.ts";
import { readRecord } from "../store/checked-store.ts";
import type { Store } from "../store/store.ts";
import { type MessageStatusEvent, millisecondsOf, type VerificationEvent, type WebhookEvent } from "./event.ts";

/** The delivery on one channel. */
export interface ChannelAttempt {
  /** The name of the channel, such as `SMS`. */
  readonly channel: string;
  /** The status of the newest message on the channel. */
  readonly status: string;
}

/** The delivery of a code according to the events of its verification or message, for the login page. */
export interface DeliveryState {
  /** The ranks of the newest and the first event: their instants as text that sorts by time. */
  readonly rank: string;
  readonly firstRank: string;
  /** The newest known status of the whole. */
  readonly status?: string | undefined;
  /** The newest channel that an event named. */
  readonly channel?: string | undefined;
  /** One attempt for each channel, in the order of their first events. */
  readonly attempts: readonly ChannelAttempt[];
}

/** The record of an entity: a message, a verification, or a single event that cannot be ordered. */
export interface EntityRecord {
  /** The rank of the newest event whose handler has begun; empty if there is none. */
  readonly rank: string;
  /** The keys of the handled events with that rank. Empty if the handler has begun only. */
  readonly keys: readonly string[];
  /** True once a handler has begun for a terminal status of a message, which is never downgraded. */
  readonly final: boolean;
  /** The keys of the handled events that were more than a day ahead. They stay known when newer events follow. */
  readonly ahead?: readonly string[] | undefined;
  /** The delivery state, from all received events, handled or not. */
  readonly seen?: DeliveryState | undefined;
}

const recordShape = z.object({
  rank: z.string(),
  keys: z.array(z.string()),
  final: z.boolean(),
  ahead: z.array(z.string()).optional(),
  seen: z
    .object({
      rank: z.string(),
      firstRank: z.string(),
      status: z.string().optional(),
      channel: z.string().optional(),
      attempts: z.array(z.object({ channel: z.string(), status: z.string() })),
    })
    .optional(),
});

const emptyRecord: EntityRecord = { rank: "", keys: [], final: false };

/** The terminal statuses that the specification names. */
const terminalStatuses: readonly unknown[] = ["FAILED", "DELIVERED"];

/** No real entity has more events at one instant. The oldest keys beyond the limit are dropped. */
const maxKeys = 32;

/** The service has fewer channels. The limit keeps the record from growing. */
const maxAttempts = 16;

/** An instant that is further ahead of the clock is wrong. */
const maxAheadMilliseconds = 24 * 60 * 60 * 1000;

/** An event with the rank by which it is ordered. */
export type OrderedEvent = WebhookEvent & {
  /** True if its own instant is more than a day ahead, so that it has another rank. */
  readonly isAhead?: boolean;
};

const plainId = /^[\w.-]{1,64}$/;

/** Returns the store key of an event's message or verification. Without a readable id or instant an event has no order, and its own key. */
export function keyOfEvent(name: string, event: WebhookEvent): string {
  const { kind, rank, data } = event;
  const ofVerification = kind === "verification.update" ? data.verification_id : undefined;
  const id = kind === "message.status.update" ? data.message_id : ofVerification;
  return id === undefined || rank === "" ? `${name}:webhook:event:${event.key}` : entityKey(name, kind, id);
}

/**
 * Returns the store key of an entity with its delivery state, or of the login's `code` in a message. An identifier that is long or has
 * special characters is hashed. No plain identifier has the colon of the prefix.
 */
export function entityKey(name: string, kind: WebhookEvent["kind"] | "code", id: string): string {
  return `${name}:webhook:${kind}:${plainId.test(id) ? id : `sha256:${hash("sha256", id)}`}`;
}

/** Reads a stored record. An absent one, and any text that is no record, gives an empty record. */
export function readEntity(text: string | undefined): EntityRecord {
  return readRecord(recordShape, text) ?? emptyRecord;
}

/**
 * Returns the event as it is ordered. An instant over a day ahead would make all later events stale: the newest known one takes its place.
 * An event that is older than the newest one makes none stale, whatever the clock says.
 */
export function orderedEvent(event: WebhookEvent, record: EntityRecord, nowMilliseconds: number): OrderedEvent {
  const isAhead =
    record.ahead?.includes(event.key) || millisecondsOf(event.rank) > nowMilliseconds + maxAheadMilliseconds;
  return isAhead && event.rank > record.rank ? { ...event, rank: record.rank, isAhead } : event;
}

/**
 * Returns "duplicate" for an event that was handled before; "stale" for an event that is older than one whose handler has begun, or that
 * comes after a final one was handled; `undefined` for an event that must be handled. Events at the same instant have no order, so all of
 * them are handled. A terminal status comes after all others.
 * @see "Delivery guarantees" and "Message statuses" of the specification
 */
export function checkOrder(event: WebhookEvent, record: EntityRecord): "duplicate" | "stale" | undefined {
  if (isHandled(event, record)) return "duplicate";
  const isDone = record.final && record.keys.length > 0;
  return isDone || isOvertaken(event, record) ? "stale" : undefined;
}

function isHandled({ key }: WebhookEvent, { keys, ahead = [] }: EntityRecord): boolean {
  return ahead.includes(key) || keys.includes(key);
}

function isOvertaken(event: WebhookEvent, record: EntityRecord): boolean {
  return event.rank < record.rank || (record.final && !isFinal(event));
}

/** Only a message can be final. A verification has several channels: after a failed SMS, WhatsApp may still deliver. */
function isFinal(event: WebhookEvent): boolean {
  return event.kind === "message.status.update" && terminalStatuses.includes(event.data.status);
}

/** Returns the record with an event whose handler begins: the same record if that changes nothing. */
export function withBegun(record: EntityRecord, event: WebhookEvent): EntityRecord {
  const final = isFinal(event);
  if (event.rank === record.rank && final === record.final) return record;
  return { ...record, rank: event.rank, keys: [], final };
}

/** Returns the record after an event was handled. */
export function withHandled(record: EntityRecord, event: OrderedEvent): EntityRecord {
  const keys = event.rank > record.rank ? [event.key] : [...record.keys, event.key].slice(-maxKeys);
  const ahead = event.isAhead ? [...(record.ahead ?? []), event.key].slice(-maxKeys) : record.ahead;
  const final = record.final || isFinal(event);
  return { ...withSeen(record, event), rank: event.rank, keys, final, ...(ahead && { ahead }) };
}

/** Returns the record after a replayed event was handled. Newer events and a final status stay. */
export function withReplayed(record: EntityRecord, event: OrderedEvent): EntityRecord {
  const isKnown = isOvertaken(event, record) || isHandled(event, record);
  return isKnown ? withSeen(record, event) : withHandled(record, event);
}

/** Returns the record after an event whose handler failed: only the delivery state, for the login page, is updated. */
export function withSeen(record: EntityRecord, event: WebhookEvent): EntityRecord {
  if (event.kind === "unknown") return record;
  // Of two events at one instant the last one to arrive counts.
  if (record.seen && event.rank < record.seen.rank) return record;
  return { ...record, seen: deliveryAfter(record.seen, event) };
}

function deliveryAfter(
  before: DeliveryState | undefined,
  { kind, rank, data }: MessageStatusEvent | VerificationEvent,
): DeliveryState {
  // A message has one channel, and messaging supports only SMS.
  const channel = data.channel ?? (kind === "message.status.update" ? "SMS" : undefined);
  // A service without a field for the status of the channel reports it in `status`.
  const ofChannel = (kind === "verification.update" ? data.channel_status : undefined) ?? data.status;
  return {
    rank,
    firstRank: before?.firstRank ?? rank,
    status: data.status ?? before?.status,
    channel: channel ?? before?.channel,
    attempts: withAttempt(before?.attempts ?? [], channel, ofChannel),
  };
}

function withAttempt(
  attempts: readonly ChannelAttempt[],
  channel: string | undefined,
  status: string | undefined,
): readonly ChannelAttempt[] {
  if (channel === undefined || status === undefined) return attempts;
  const isKnown = attempts.some((attempt) => attempt.channel === channel);
  if (isKnown) return attempts.map((attempt) => (attempt.channel === channel ? { channel, status } : attempt));
  return [...attempts, { channel, status }].slice(-maxAttempts);
}

interface CodeMessageDeps {
  readonly store: Store;
  readonly name: string;
}

/** A message that is not delivered within a day is not waited for any more. */
const ttlSeconds = 86_400;

/**
 * Remembers that a message carried the code of a login, so that an event about it can be told from those of the app's other messages. Never
 * rejects: without it an undelivered code counts as an unconfirmed login for a while.
 */
export async function rememberCodeMessage(
  { store, name }: CodeMessageDeps,
  { phone, messageId }: { readonly phone: string; readonly messageId: string },
): Promise<void> {
  await store.put(entityKey(name, "code", messageId), phone, { ttlSeconds }).catch(() => undefined);
}

/** What an event reports of a code for the first time: it was delivered, or no channel could deliver it. */
export interface CodeReport {
  readonly isDelivered: boolean;
  readonly channel: string | undefined;
  /** The recipient; `undefined` if the service does not name it. */
  readonly number: PhoneNumber | undefined;
  /** The time since the first event about the code. `undefined` if there was none before this one, or one of them is more than a day ahead. */
  readonly deliverySeconds: number | undefined;
}

/**
 * Returns what an event reports of a code; `undefined` for any other event. A verification may also fail by wrong codes, after it was
 * delivered, so each of its channels must have failed, too. A service that names the statuses of a verification in another way has no
 * undelivered codes here: the specification does not show them.
 *
 * @throws {@link DoorcodeError} `store_unavailable`
 * @see "Message statuses" and "Verification" of the specification
 */
export async function codeReportOf(
  deps: CodeMessageDeps,
  event: OrderedEvent,
  record: EntityRecord,
): Promise<CodeReport | undefined> {
  const { seen } = withSeen(record, event);
  if (event.kind === "unknown" || !seen) return undefined;
  const isDelivered = wasDelivered(seen) && !wasDelivered(record.seen);
  const isUndelivered = hasFailed(seen) && !hasFailed(record.seen);
  if (!isDelivered && !isUndelivered) return undefined;
  const phone = await recipientOfCode(deps, event);
  if (phone === undefined) return undefined;
  const isTimed = record.seen !== undefined && seen.firstRank !== "" && !event.isAhead;
  return {
    isDelivered,
    channel: seen.channel,
    number: parseE164(phone),
    deliverySeconds: isTimed ? (millisecondsOf(event.rank) - millisecondsOf(seen.firstRank)) / 1000 : undefined,
  };
}

function wasDelivered(seen: DeliveryState | undefined): boolean {
  return seen?.status === "DELIVERED" || seen?.attempts.some(({ status }) => status === "DELIVERED") === true;
}

function hasFailed(seen: DeliveryState | undefined): boolean {
  if (seen?.status !== "FAILED" || seen.attempts.length === 0) return false;
  return seen.attempts.every(({ status }) => status === "FAILED");
}

/** Returns the recipient; `undefined` for a message of the app that carried no code, which says nothing about a login. */
async function recipientOfCode(
  { store, name }: CodeMessageDeps,
  { kind, data }: MessageStatusEvent | VerificationEvent,
): Promise<string | undefined> {
  if (kind === "verification.update") return data.recipient ?? "";
  const [phone] = data.message_id === undefined ? [] : await store.get([entityKey(name, "code", data.message_id)]);
  return phone;
}
