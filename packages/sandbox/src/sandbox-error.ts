/** What a {@link SandboxError} can say. Codes are stable: compare them, never a message. */
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

/** A refusal of the sandbox towards the program that runs it. It holds no code and no secret. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly code: SandboxErrorCode;
  /** The field that is wrong, where a request held one. */
  readonly field: string | undefined;

  constructor(code: SandboxErrorCode, message: string, options: ErrorOptions & { readonly field?: string } = {}) {
    super(message, options);
    this.code = code;
    this.field = options.field;
  }
}
