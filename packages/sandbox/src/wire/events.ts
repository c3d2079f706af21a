import type { EventName } from "../state/application.ts";
import { lastStep, type Message } from "../state/message.ts";
import type { Verification } from "../state/verification.ts";
import { messageRecord } from "./message-record.ts";

/** An event and the request it belongs to, which decides where it goes. */
export interface WebhookEvent {
  readonly requestId: string;
  readonly event: EventName;
  /** The body, made once: every attempt sends these bytes. */
  readonly payload: string;
}

/** Tells that the status of a message of `POST /messages` changed. @see "Events" of the specification */
export function messageEvent(message: Message): WebhookEvent {
  return envelope("message.status.update", message.requestId, messageRecord(message));
}

/**
 * Tells that the status of a verification changed or, with a message, the delivery status of its code on one channel.
 *
 * @see "Events" of the specification
 */
export function verificationEvent(verification: Verification, attempt?: Message): WebhookEvent {
  return envelope("verification.update", verification.requestId, {
    verification_id: verification.id,
    request_id: verification.requestId,
    recipient: verification.recipient,
    status: verification.status,
    ...(attempt && { channel: attempt.channel, channel_status: lastStep(attempt).status }),
    updated_at: verification.updatedAt,
  });
}

function envelope(event: EventName, requestId: string, data: Readonly<Record<string, string>>): WebhookEvent {
  return { requestId, event, payload: JSON.stringify({ event, data }) };
}
