import type { Refusal, RefusalStatus } from "../primitives/errors.ts";
import type { Application } from "../state/application.ts";
import type { Dialect } from "../state/dialect.ts";
import { lastStep, type Message } from "../state/message.ts";
import type { ConfirmationOutcome, Verification } from "../state/verification.ts";
import { messageRecord, type WireRecord } from "./events.ts";

/** An answer of the API. */
export interface WireAnswer {
  readonly status: number;
  /** The JSON body; undefined for an empty body. */
  readonly body: WireRecord | readonly WireRecord[] | undefined;
  /** The reason of a refusal, in words. */
  readonly cause?: string;
}

/** Returns the answer to an accepted `POST /messages`. @see "Message response" of the specification */
export function messagesAccepted(requestId: string, messages: readonly Message[]): WireAnswer {
  const accepted = messages.map((message) => ({
    message_id: message.id,
    recipient: message.to,
    status: lastStep(message).status,
  }));
  return { status: 200, body: { request_id: requestId, status: "SUCCESS", messages: accepted } };
}

/** Returns the answer to `GET /messages`. The specification leaves its form open. */
export function messageList({ dialect }: Application, messages: readonly Message[]): WireAnswer {
  const records = messages.map((message) => messageRecord(dialect, message));
  return { status: 200, body: dialect.messageList === "array" ? records : { [dialect.messageList]: records } };
}

/** Returns the answer to an accepted `POST /verifications`. @see "Verification response" of the specification */
export function verificationAccepted(
  { dialect }: Pick<Application, "dialect">,
  { requestId, id }: Verification,
): WireAnswer {
  const idMember = idMembers[dialect.verificationId](id);
  return {
    status: dialect.acceptedStatus,
    body: { request_id: requestId, ...idMember, error_code: "", error_message: "" },
  };
}

const idMembers: Readonly<Record<Dialect["verificationId"], (id: string) => WireRecord>> = {
  verification_id: (id) => ({ verification_id: id }),
  "data.verification_id": (id) => ({ data: { verification_id: id } }),
  "verification.id": (id) => ({ verification: { id } }),
  id: (id) => ({ id }),
  request_id: () => ({}),
};

const failures: Readonly<Record<Exclude<ConfirmationOutcome, "approved">, readonly [code: string, message: string]>> = {
  wrong: ["verify.invalid_code", "The code is incorrect."],
  expired: ["verify.expired", "The code has expired or was already used."],
  exhausted: ["verify.max_attempts_reached", "There were too many attempts."],
  custom_otp: ["verify.invalid_code", "The caller that supplied a custom_otp must check it."],
};

/** The codes of a refused confirmation. */
export const confirmationCodes: readonly string[] = [...new Set(Object.values(failures).map(([code]) => code))];

/** Returns the answer to a confirmation. @see "Errors" of the specification */
export function confirmationAnswer(
  { dialect }: Pick<Application, "dialect">,
  outcome: ConfirmationOutcome,
): WireAnswer {
  if (outcome === "approved") return { status: 200, body: { success: true, message: "Verified." } };
  const [code, message] = failures[outcome];
  const refusal = { success: false, message, ...codeMembers[dialect.errorCode](code, message) };
  const status = dialect.confirmationRefusal === "status_400" ? 400 : 200;
  const bodies = { status_400: refusal, false: refusal, text_true: { success: "true", message }, empty: undefined };
  return { status, body: bodies[dialect.confirmationRefusal], cause: message };
}

const codeMembers: Readonly<Record<Dialect["errorCode"], (code: string, message: string) => WireRecord>> = {
  error_code: (error_code) => ({ error_code }),
  code: (code) => ({ code }),
  "error.code": (code) => ({ error: { code } }),
  "errors[0].code": (code) => ({ errors: [{ code }] }),
  message: (code, message) => ({ message: `${code} ${message}` }),
};

interface WireRefusal {
  readonly status: RefusalStatus;
  readonly contentType: string | undefined;
  readonly body: string | undefined;
}

/**
 * Returns the answer to a refused API request, in the form of the dialect.
 *
 * @see "Errors" of the specification, which leaves the form open
 */
export function wireRefusal({ refusalStatus, refusalBody }: Dialect, refusal: Refusal): WireRefusal {
  const status = (refusalStatus === "403_400" && otherStatuses.get(refusal.status)) || refusal.status;
  switch (refusalBody) {
    case "json":
      return { status, contentType: "application/json", body: JSON.stringify(refusalRecord(refusal)) };
    case "empty":
      return { status, contentType: undefined, body: undefined };
    case "html":
      return { status, contentType: "text/html", body: "<!doctype html><title>Error</title><h1>Error</h1>" };
  }
}

/** Returns the JSON of a refusal, in the default dialect and for everything outside of the API. */
export function refusalRecord({ code, message, field }: Refusal): object {
  return { error_code: code, error_message: message, ...(field !== undefined && { field }) };
}

const otherStatuses: ReadonlyMap<RefusalStatus, RefusalStatus> = new Map([
  [401, 403],
  [422, 400],
]);
