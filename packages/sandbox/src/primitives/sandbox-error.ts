/** The code of a {@link SandboxError}. Codes are stable: compare the code, never the message. */
export type SandboxErrorCode =
  | "port_taken"
  | "host_unusable"
  | "data_file_unusable"
  | "data_file_taken"
  | "message_missing"
  | "message_unknown"
  | "delivery_missing"
  | "delivery_unknown"
  | "application_unknown"
  | "application_stays"
  | "endpoint_unknown"
  | "endpoint_taken"
  | "fault_unknown"
  | "sender_taken"
  | "sender_unknown"
  | "number_taken"
  | "number_unknown"
  | "closed";

/** An error of a call to the sandbox. It contains no verification code and no secret. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  /** The reason. */
  readonly code: SandboxErrorCode;
  /** The invalid member of the argument, where there is one. */
  readonly field: string | undefined;

  constructor(code: SandboxErrorCode, message: string, options: ErrorOptions & { readonly field?: string } = {}) {
    super(message, options);
    this.code = code;
    this.field = options.field;
  }
}
