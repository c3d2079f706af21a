import type { Application, EventName } from "../state/application.ts";
import { lastStep, type Message } from "../state/message.ts";
import type { Verification, VerificationStatus } from "../state/verification.ts";
import type { Dialect } from "./dialect.ts";
import { wireInstant } from "./instant.ts";
import { messageRecord, type WireRecord, withFields } from "./message-record.ts";

/** An event, and what decides where it goes. */
export interface WebhookEvent {
  readonly applicationId: string;
  /** The request it belongs to. */
  readonly requestId: string;
  readonly event: EventName;
  /** The message or verification it tells of. */
  readonly subjectId: string;
  readonly recipient: string;
  /** The status it tells, for people: `DELIVERED`, `SMS FAILED`. */
  readonly told: string;
  /** The body, made once: every attempt sends these bytes. */
  readonly payload: string;
}

/** Tells that the status of a message of `POST /messages` changed. @see "Events" of the specification */
export function messageEvent(application: Application, message: Message): WebhookEvent {
  const event = "message.status.update";
  return {
    applicationId: application.id,
    requestId: message.requestId,
    event,
    subjectId: message.id,
    recipient: message.to,
    told: lastStep(message).status,
    payload: payloadOf(application.dialect, event, messageRecord(application, message)),
  };
}

/**
 * Tells that the status of a verification changed or, with a message, the delivery status of its code on one channel.
 *
 * @see "Events" of the specification
 */
export function verificationEvent(
  application: Application,
  verification: Verification,
  attempt?: Message,
): WebhookEvent {
  const event = "verification.update";
  const channel = attempt && { channel: attempt.channel, channel_status: lastStep(attempt).status };
  return {
    applicationId: application.id,
    requestId: verification.requestId,
    event,
    subjectId: verification.id,
    recipient: verification.recipient,
    told: channel ? `${channel.channel} ${channel.channel_status}` : verification.status,
    payload: payloadOf(application.dialect, event, verificationRecord(application.dialect, verification, channel)),
  };
}

function verificationRecord(dialect: Dialect, verification: Verification, channel: WireRecord | undefined): WireRecord {
  const { id, requestId, recipient, status, updatedAt } = verification;
  return {
    verification_id: id,
    ...withFields(dialect, { request_id: requestId, recipient, ...channel }),
    status: dialect.verificationStatuses === "own" ? ownWords[status] : status,
    updated_at: wireInstant(dialect, updatedAt),
  };
}

/** Words for the states that the specification does not name. */
const ownWords: Readonly<Record<VerificationStatus, string>> = {
  PENDING: "in_progress",
  APPROVED: "verified",
  EXPIRED: "timed out",
  FAILED: "undeliverable",
};

function payloadOf({ envelope }: Dialect, event: EventName, data: WireRecord): string {
  return JSON.stringify(envelope === "data_only" ? { data } : { [envelope]: event, data });
}
