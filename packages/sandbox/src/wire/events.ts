import type { Application, EventName } from "../state/application.ts";
import type { Delivery } from "../state/delivery.ts";
import type { Dialect } from "../state/dialect.ts";
import { lastStep, type Message } from "../state/message.ts";
import type { Verification, VerificationStatus } from "../state/verification.ts";
import { formatInstant } from "./instant-format.ts";
import { extraFields, messageRecord, type WireRecord } from "./message-record.ts";

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
