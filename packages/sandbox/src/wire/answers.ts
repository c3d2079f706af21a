import type { ConfirmationOutcome } from "../service/confirm-verification.ts";
import { lastStep, type Message } from "../state/message.ts";
import type { Verification } from "../state/verification.ts";
import { messageRecord } from "./message-record.ts";

/** Answers an accepted `POST /messages`. @see "Message response" of the specification */
export function messagesAccepted(requestId: string, messages: readonly Message[]): object {
  return {
    request_id: requestId,
    status: "SUCCESS",
    messages: messages.map((message) => ({
      message_id: message.id,
      recipient: message.to,
      status: lastStep(message).status,
    })),
  };
}

/** Answers `GET /messages`, whose shape the specification leaves open. */
export function messageList(messages: readonly Message[]): object {
  return { messages: messages.map(messageRecord) };
}

/** Answers an accepted `POST /verifications`. @see "Verification response" of the specification */
export function verificationAccepted({ requestId, id }: Verification): object {
  return { request_id: requestId, verification_id: id, error_code: "", error_message: "" };
}

const refusals: Readonly<Record<Exclude<ConfirmationOutcome, "approved">, readonly [code: string, message: string]>> = {
  wrong: ["verify.invalid_code", "The code is wrong."],
  over: ["verify.expired", "The code has expired or was used."],
  exhausted: ["verify.max_attempts_reached", "Too many attempts."],
  custom_otp: ["verify.invalid_code", "A custom_otp is validated by the caller who supplied it, not here."],
};

/** Answers a confirmation: status and body. @see "Errors" of the specification */
export function confirmationAnswer(outcome: ConfirmationOutcome): {
  readonly status: 200 | 400;
  readonly body: object;
} {
  if (outcome === "approved") return { status: 200, body: { success: true, message: "Verified." } };
  const [error_code, message] = refusals[outcome];
  return { status: 400, body: { success: false, message, error_code } };
}
