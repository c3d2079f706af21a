import type { SandboxErrorCode } from "./sandbox-error.ts";

/** The reason for which a request is refused: the `error_code` of the answer. */
export type RefusalCode =
  | "auth.invalid_api_key"
  | "auth.invalid_token"
  | "request.malformed"
  | "request.invalid"
  | "request.too_large"
  | "request.unsupported_media_type"
  | "request.not_found"
  | "request.method_not_allowed"
  | "request.rate_limited"
  | "request.foreign_host"
  | "request.foreign_origin"
  | "message.sender_not_registered"
  | "template.not_registered"
  | "verification.not_found"
  | `sandbox.${SandboxErrorCode}`
  | "internal";

/** The HTTP status of a refusal. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

const statuses: Readonly<Record<RefusalCode, RefusalStatus>> = {
  "auth.invalid_api_key": 401,
  "auth.invalid_token": 401,
  "request.malformed": 400,
  "request.invalid": 422,
  "request.too_large": 413,
  "request.unsupported_media_type": 415,
  "request.not_found": 404,
  "request.method_not_allowed": 405,
  "request.rate_limited": 429,
  "request.foreign_host": 403,
  "request.foreign_origin": 403,
  "message.sender_not_registered": 422,
  "template.not_registered": 422,
  "verification.not_found": 404,
  "sandbox.message_missing": 404,
  "sandbox.message_unknown": 404,
  "sandbox.delivery_missing": 404,
  "sandbox.delivery_unknown": 404,
  "sandbox.application_unknown": 404,
  "sandbox.application_stays": 409,
  "sandbox.endpoint_unknown": 404,
  "sandbox.endpoint_taken": 409,
  "sandbox.fault_unknown": 404,
  "sandbox.sender_taken": 409,
  "sandbox.sender_unknown": 404,
  "sandbox.number_taken": 409,
  "sandbox.number_unknown": 404,
  "sandbox.port_taken": 500,
  "sandbox.host_unusable": 500,
  "sandbox.data_file_unusable": 500,
  "sandbox.data_file_taken": 500,
  "sandbox.closed": 503,
  internal: 500,
};

/** A refused request. The answer is `{ error_code, error_message, field? }` with the status of the code. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** The reason. */
  readonly code: RefusalCode;
  /** The HTTP status that belongs to the code. */
  readonly status: RefusalStatus;
  /** Path of the invalid field in the body, such as `channels[0].sender`. */
  readonly field: string | undefined;

  constructor(code: RefusalCode, message: string, field?: string) {
    super(message);
    this.code = code;
    this.status = statuses[code];
    this.field = field;
  }
}
