import type { RefusalCode } from "../primitives/refusal.ts";
import type { AnswerName, RequestName } from "./service-shapes.ts";

/** One endpoint of the API, as its description has it. */
export interface ServiceOperation {
  readonly path: string;
  readonly method: "get" | "post";
  readonly operationId: string;
  readonly summary: string;
  /** The shape of the body that it reads. */
  readonly request?: RequestName;
  /** The shape of its answer when it has done what it was asked for. */
  readonly answer: AnswerName;
  /** The codes of its refusals, beside those of every endpoint. */
  readonly refusals: readonly RefusalCode[];
}

/** The refusals of every endpoint, in the dialect of the application. */
export const everywhere: readonly RefusalCode[] = ["auth.invalid_api_key", "request.rate_limited", "internal"];

/** The refusals before an application is known. They are the same in every dialect. */
export const beforeTheApi: readonly RefusalCode[] = [
  "request.foreign_host",
  "request.foreign_origin",
  "sandbox.closed",
];

const ofBodies: readonly RefusalCode[] = [
  "request.malformed",
  "request.too_large",
  "request.unsupported_media_type",
  "request.invalid",
];

/** The path of a confirmation. */
export const confirmationPath = "/verifications/confirmation/{verification_id}";

/** The endpoints of the API. @see "Endpoints" of the specification */
export const serviceOperations: readonly ServiceOperation[] = [
  {
    path: "/messages",
    method: "post",
    operationId: "sendMessages",
    summary: "Sends a text to each recipient over each channel. The delivery is reported by webhooks.",
    request: "MessageRequest",
    answer: "AcceptedMessages",
    refusals: [...ofBodies, "message.sender_not_registered"],
  },
  {
    path: "/messages",
    method: "get",
    operationId: "listMessages",
    summary: "Lists the messages of the application with their status, the newest first.",
    answer: "MessageList",
    refusals: [],
  },
  {
    path: "/verifications",
    method: "post",
    operationId: "startVerification",
    summary: "Sends a one-time code over the channel with priority 1, and over the next one if it does not arrive.",
    request: "VerificationRequest",
    answer: "AcceptedVerification",
    refusals: [...ofBodies, "template.not_registered"],
  },
  {
    path: confirmationPath,
    method: "post",
    operationId: "confirmVerification",
    summary: "Checks a code. A verification with `custom_otp` is checked by its caller, and refused here.",
    request: "ConfirmationRequest",
    answer: "Confirmed",
    refusals: [...ofBodies, "verification.not_found"],
  },
];
