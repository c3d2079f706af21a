import { type Account, accountId } from "../../src/state/account.ts";
import type { Delivery } from "../../src/state/delivery.ts";
import type { Message } from "../../src/state/message.ts";

/** The account, without any sender or number. */
export const account: Account = {
  id: accountId,
  company: "Example Ltd",
  ownerEmail: "owner@example.com",
  balance: "100.00 EUR",
  pricing: [],
  invoices: [],
  senders: [],
  numbers: [],
};

/** Returns a message with default values. */
export function message(id: string, changes: Partial<Message> = {}): Message {
  return {
    id,
    applicationId: "app_1",
    requestId: "req_1",
    callbackUrl: undefined,
    verificationId: undefined,
    to: "+4915112345678",
    channel: "SMS",
    sender: "Doorcode",
    text: "Hello",
    code: undefined,
    segments: 1,
    plannedOutcome: { status: "DELIVERED", slow: false },
    timeline: [{ status: "QUEUED", at: "2026-01-01T00:00:00.000Z" }],
    ...changes,
  };
}

/** Returns a delivery whose first attempt got no answer. */
export function delivery(id: string, changes: Partial<Delivery> = {}): Delivery {
  return {
    id,
    applicationId: "app_1",
    event: "message.status.update",
    eventId: "evt_1",
    subjectId: "msg_1",
    recipient: "+4915112345678",
    eventStatus: "SENT",
    endpointId: undefined,
    url: "http://localhost:3000/webhooks",
    payload: '{"event":"message.status.update"}',
    status: "pending",
    createdAt: "2026-01-01T00:00:00.000Z",
    attempts: [
      {
        at: "2026-01-01T00:00:00.000Z",
        cause: "schedule",
        timestamp: "1767225600",
        signature: "v1=00",
        status: undefined,
        answer: "",
        error: "timed_out",
        tookMilliseconds: 5000,
      },
    ],
    nextAttemptAt: undefined,
    ...changes,
  };
}

/** An event of an app about a decision. */
export const decision = {
  type: "login.send_decided",
  outcome: "allowed",
  country: "DE",
  onAlert: false,
  appOnAlert: false,
  knownNumber: false,
  knownDevice: false,
} as const;
