/** What a {@link SandboxError} can say. Codes are stable: compare them, never a message. */
export type SandboxErrorCode = "port_taken" | "message_missing" | "message_unknown" | "closed";

/** A refusal of the sandbox towards the program that runs it. It holds no phone number and no code. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly code: SandboxErrorCode;

  constructor(code: SandboxErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
