import type { z } from "zod";

/** The code of a {@link SandboxError}. Codes are stable: compare the code, never the message. */
export type SandboxErrorCode = WithoutPrefix<RefusalCode>;

type WithoutPrefix<Code> = Code extends `sandbox.${infer Name}` ? Name : never;

/** An error of a call to the sandbox. It contains no verification code and no secret. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly code: SandboxErrorCode;
  /** The invalid member of the argument, where there is one. */
  readonly field: string | undefined;

  constructor(code: SandboxErrorCode, message: string, options: ErrorOptions & { readonly field?: string } = {}) {
    super(message, options);
    this.code = code;
    this.field = options.field;
  }
}

/** The HTTP status of each refusal. */
const statuses = {
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
  "sandbox.mcp_sdk_missing": 501,
  "sandbox.closed": 503,
  internal: 500,
} as const;

/** The reason for which a request is refused: the `error_code` of the answer. */
export type RefusalCode = keyof typeof statuses;

/** The HTTP status of a refusal. */
export type RefusalStatus = (typeof statuses)[RefusalCode];

/** A refused request. The answer is `{ error_code, error_message, field? }` with the status of the code. */
export class Refusal extends Error {
  override readonly name = "Refusal";
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

/** A call with an invalid argument: a `TypeError` for a program, 422 `request.invalid` with the field over HTTP. */
export class UsageError extends TypeError {
  /** Path of the invalid member, such as `action.status`; empty for the whole argument. */
  readonly field: string;
  /** The expected value, in words. */
  readonly expected: string;

  constructor(caller: string, field: string, expected: string) {
    super(`${caller}: ${field || "options"}: ${expected}`);
    this.field = field;
    this.expected = expected;
  }
}

/** The keys of these members are phone numbers, which must not appear in an error. */
const keyedByPhone: ReadonlySet<PropertyKey> = new Set(["behaviours", "codes"]);

/**
 * Formats the path of a validation issue as the specification does: `channels[0].content.text`. It is empty for the whole
 * value. For an unknown member it is the path of that member. Phone numbers are left out.
 */
function issueField(issue: z.core.$ZodIssue | undefined, member: string): string {
  const path = [
    ...(member === "" ? [] : [member]),
    ...(issue?.path ?? []),
    ...(issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : []),
  ];
  const end = path.findIndex((key) => keyedByPhone.has(key));
  return (end === -1 ? path : path.slice(0, end + 1))
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}

/**
 * Parses the argument of a function: a program's value, or the body of a request.
 *
 * @param caller - name of the function, for the error.
 * @param member - name of the value in the body of a request, for the error; empty for the whole body.
 * @throws UsageError with the first invalid member and the expected value
 */
export function parse<Value>(caller: string, shape: z.ZodType<Value>, value: unknown, member = ""): Value {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(caller, issueField(issue, member), issue?.message ?? "expected another value");
}
