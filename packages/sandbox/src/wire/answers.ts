import type { Application } from "../state/application.ts";
import { lastStep, type Message } from "../state/message.ts";
import type { ConfirmationOutcome, Verification } from "../state/verification.ts";
import type { Dialect } from "./dialect.ts";
import { messageRecord, type WireRecord } from "./message-record.ts";

/** An answer as it stands on the wire. */
export interface WireAnswer {
  readonly status: number;
  /** Undefined leaves the body empty. */
  readonly body: WireRecord | readonly WireRecord[] | undefined;
}

/** Answers an accepted `POST /messages`. @see "Message response" of the specification */
export function messagesAccepted(requestId: string, messages: readonly Message[]): WireAnswer {
  const accepted = messages.map((message) => ({
    message_id: message.id,
    recipient: message.to,
    status: lastStep(message).status,
  }));
  return { status: 200, body: { request_id: requestId, status: "SUCCESS", messages: accepted } };
}

/** Answers `GET /messages`, whose shape the specification leaves open. */
export function messageList(application: Application, messages: readonly Message[]): WireAnswer {
  const { messageList: place } = application.dialect;
  const records = messages.map((message) => messageRecord(application, message));
  return { status: 200, body: place === "array" ? records : { [place]: records } };
}

/** Answers an accepted `POST /verifications`. @see "Verification response" of the specification */
export function verificationAccepted({ dialect }: Application, { requestId, id }: Verification): WireAnswer {
  const place = idPlaces[dialect.verificationId](id);
  return {
    status: dialect.acceptedStatus,
    body: { request_id: requestId, ...place, error_code: "", error_message: "" },
  };
}

const idPlaces: Readonly<Record<Dialect["verificationId"], (id: string) => WireRecord>> = {
  verification_id: (id) => ({ verification_id: id }),
  "data.verification_id": (id) => ({ data: { verification_id: id } }),
  "verification.id": (id) => ({ verification: { id } }),
  id: (id) => ({ id }),
  request_id: () => ({}),
};

const failures: Readonly<Record<Exclude<ConfirmationOutcome, "approved">, readonly [code: string, message: string]>> = {
  wrong: ["verify.invalid_code", "The code is wrong."],
  over: ["verify.expired", "The code has expired or was used."],
  exhausted: ["verify.max_attempts_reached", "Too many attempts."],
  custom_otp: ["verify.invalid_code", "A custom_otp is validated by the caller who supplied it, not here."],
};

/** Answers a confirmation. @see "Errors" of the specification */
export function confirmationAnswer({ dialect }: Application, outcome: ConfirmationOutcome): WireAnswer {
  if (outcome === "approved") return { status: 200, body: { success: true, message: "Verified." } };
  const [code, message] = failures[outcome];
  switch (dialect.confirmationRefusal) {
    case "status_400":
      return { status: 400, body: { success: false, message, ...codePlaces[dialect.errorCode](code, message) } };
    case "false":
      return { status: 200, body: { success: false, message, ...codePlaces[dialect.errorCode](code, message) } };
    case "text_true":
      return { status: 200, body: { success: "true", message } };
    case "empty":
      return { status: 200, body: undefined };
  }
}

const codePlaces: Readonly<Record<Dialect["errorCode"], (code: string, message: string) => WireRecord>> = {
  error_code: (error_code) => ({ error_code }),
  code: (code) => ({ code }),
  "error.code": (code) => ({ error: { code } }),
  "errors[0].code": (code) => ({ errors: [{ code }] }),
  message: (code, message) => ({ message: `${code} ${message}` }),
};
