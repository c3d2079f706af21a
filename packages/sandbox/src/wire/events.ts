import type { Application, EventName } from "../state/application.ts";
import type { Delivery } from "../state/delivery.ts";
import type { Dialect } from "../state/dialect.ts";
import { lastStep, type Message } from "../state/message.ts";
import type { Verification, VerificationStatus } from "../state/verification.ts";

/** An event with its payload, before its destinations are known. */
export interface WebhookEvent
  extends Pick<Delivery, "applicationId" | "event" | "subjectId" | "recipient" | "eventStatus" | "payload"> {
  /** The destination of the event; undefined for the endpoints of the application. */
  readonly callbackUrl: string | undefined;
}

/** Creates the event for a new status of a message of `POST /messages`. @see "Events" of the specification */
export function messageEvent({ id, dialect }: Application, message: Message): WebhookEvent {
  const event = "message.status.update";
  return {
    applicationId: id,
    callbackUrl: message.callbackUrl,
    event,
    subjectId: message.id,
    recipient: message.to,
    eventStatus: lastStep(message).status,
    payload: payloadOf(dialect, event, messageRecord(dialect, message)),
  };
}

/**
 * Creates the event for a new status of a verification or, with a channel attempt, for a new status of that attempt.
 *
 * @see "Events" of the specification
 */
export function verificationEvent(
  { id, dialect }: Application,
  verification: Verification,
  channelAttempt?: Message,
): WebhookEvent {
  const event = "verification.update";
  const channel = channelAttempt && {
    channel: channelAttempt.channel,
    channel_status: lastStep(channelAttempt).status,
  };
  return {
    applicationId: id,
    callbackUrl: verification.callbackUrl,
    event,
    subjectId: verification.id,
    recipient: verification.recipient,
    eventStatus: channel ? `${channel.channel} ${channel.channel_status}` : verification.status,
    payload: payloadOf(dialect, event, verificationRecord(dialect, verification, channel)),
  };
}

function verificationRecord(dialect: Dialect, verification: Verification, channel: WireRecord | undefined): WireRecord {
  const { id, requestId, recipient, status, updatedAt } = verification;
  return {
    verification_id: id,
    ...extraFields(dialect, { request_id: requestId, recipient, ...channel }),
    status: dialect.verificationStatuses === "own" ? ownStatuses[status] : status,
    updated_at: formatInstant(dialect, updatedAt),
  };
}

/** The words of the dialect `verificationStatuses: "own"`. */
export const ownStatuses: Readonly<Record<VerificationStatus, string>> = {
  PENDING: "in_progress",
  APPROVED: "verified",
  EXPIRED: "timed out",
  FAILED: "undeliverable",
};

function payloadOf({ envelope }: Dialect, event: EventName, data: WireRecord): string {
  return JSON.stringify(envelope === "data_only" ? { data } : { [envelope]: event, data });
}

/** A JSON object of the API. */
export type WireRecord = Readonly<Record<string, unknown>>;

/**
 * Returns the status of a message as `GET /messages` and `message.status.update` report it, without its text and its code.
 * Every dialect has the four fields that the specification names.
 *
 * @see "Confirmation request and response" of the specification, on the message status record
 */
export function messageRecord(dialect: Dialect, message: Message): WireRecord {
  const { status, at } = lastStep(message);
  return {
    message_id: message.id,
    recipient: message.to,
    ...extraFields(dialect, { request_id: message.requestId, channel: message.channel }),
    status,
    status_updated_at: formatInstant(dialect, at),
  };
}

/** Returns the fields that the specification does not name, as the dialect has them. */
function extraFields({ eventFields }: Dialect, documented: WireRecord): WireRecord {
  if (eventFields === "bare") return {};
  return eventFields === "rich" ? { ...documented, ...undocumentedFields } : documented;
}

/** Fields that no document mentions. A reader must ignore them. */
const undocumentedFields: WireRecord = {
  price: { amount: "0.0705", currency: "EUR" },
  error: null,
  tags: ["a", 1, true, null, []],
  "x-trace": { id: 9_007_199_254_740_991, note: "ünïcode ✓ \u2028" },
};

/** An offset that is large enough to reveal a reader that ignores offsets. */
const offset = { text: "+02:00", milliseconds: 7_200_000 };

/**
 * Formats an instant of a record for the API, in the format of the dialect.
 *
 * @param at - ISO 8601 with milliseconds.
 * @see "Delivery guarantees" of the specification
 */
export function formatInstant({ instants }: Dialect, at: string): string | number {
  const milliseconds = Date.parse(at);
  switch (instants) {
    case "iso_milliseconds":
      return at;
    case "iso_seconds":
      return at.replace(/\.\d+Z$/, "Z");
    case "iso_microseconds":
      return at.replace(/Z$/, "042Z");
    case "iso_offset":
      return new Date(milliseconds + offset.milliseconds).toISOString().replace("Z", offset.text);
    case "epoch_seconds":
      return Math.floor(milliseconds / 1000);
    case "epoch_milliseconds":
      return milliseconds;
  }
}
