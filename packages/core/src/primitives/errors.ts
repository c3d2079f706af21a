/** Every code that a {@link DoorcodeError} can carry. Codes are stable: compare them, never a message. */
export type ErrorCode =
  // The request
  | "foreign_origin"
  | "method_not_allowed"
  | "media_type_unsupported"
  | "body_malformed"
  | "body_too_large"
  | "body_already_read"
  // A login
  | "phone_invalid"
  | "country_not_allowed"
  | "number_type_not_allowed"
  | "channel_not_allowed"
  | "cooldown"
  | "send_limit_reached"
  | "send_failed"
  | "code_malformed"
  | "code_rejected"
  | "attempts_exhausted"
  | "too_many_failures"
  | "no_transaction"
  | "transaction_replaced"
  | "transaction_busy"
  | "login_refused"
  | "login_unfinished"
  | "login_superseded"
  | "session_changed"
  // A session
  | "login_required"
  | "proof_required"
  | "session_too_large"
  // A webhook
  | "signature_invalid"
  | "handler_failed"
  | "handler_unfinished"
  // The store
  | "store_unavailable"
  // The service's answers
  | "service_unauthorized"
  | "service_invalid_request"
  | "service_not_found"
  | "service_rate_limited"
  | "service_unavailable"
  | "service_unreadable"
  | "sender_not_registered"
  | "verify.invalid_code"
  | "verify.expired"
  | "verify.max_attempts_reached";

/** What each code means to the person who meets it: the status of its answer and a title that never changes. */
const table: Readonly<Record<ErrorCode, readonly [status: number, title: string]>> = {
  foreign_origin: [403, "The request does not come from this site."],
  method_not_allowed: [405, "This method is not allowed here."],
  media_type_unsupported: [415, "Send JSON or an HTML form."],
  body_malformed: [400, "The body cannot be read."],
  body_too_large: [413, "The body is too large."],
  body_already_read: [500, "The body was read before Doorcode saw it."],
  phone_invalid: [400, "This is no phone number: begin with + and the country code."],
  country_not_allowed: [400, "Numbers of this country are not accepted."],
  number_type_not_allowed: [400, "Numbers of this type are not accepted."],
  channel_not_allowed: [400, "This channel is not offered."],
  cooldown: [429, "A code was sent a moment ago."],
  send_limit_reached: [429, "Too many codes were sent to this number."],
  send_failed: [502, "The code could not be sent."],
  code_malformed: [400, "A code has digits only."],
  code_rejected: [400, "The code is not right."],
  attempts_exhausted: [400, "Too many attempts: start again."],
  too_many_failures: [429, "Too many wrong codes for this number."],
  no_transaction: [400, "No login is under way: start again."],
  transaction_replaced: [409, "Another login was started in this browser."],
  transaction_busy: [503, "This login is being worked on: try again."],
  login_refused: [403, "This number may not log in."],
  login_unfinished: [503, "The code was right, but the login could not be finished: send it again."],
  login_superseded: [409, "This login took too long and was given up: start again."],
  session_changed: [409, "The account changed while the code was on its way: start again."],
  login_required: [401, "Log in first."],
  proof_required: [403, "Prove the phone number again first."],
  session_too_large: [500, "The session does not fit into a cookie."],
  signature_invalid: [401, "The delivery is not signed by the service."],
  handler_failed: [500, "A handler failed: deliver the event again."],
  handler_unfinished: [503, "The event is still being handled: deliver it again."],
  store_unavailable: [503, "The store does not answer: try again."],
  service_unauthorized: [502, "The service does not accept the API key."],
  service_invalid_request: [502, "The service refuses the request."],
  service_not_found: [502, "The service does not know what was asked for."],
  service_rate_limited: [503, "The service asks to slow down."],
  service_unavailable: [503, "The service does not answer: try again."],
  service_unreadable: [502, "The service's answer cannot be read."],
  sender_not_registered: [502, "The sender is not registered with the service."],
  "verify.invalid_code": [400, "The code is not right."],
  "verify.expired": [400, "The code has expired."],
  "verify.max_attempts_reached": [400, "Too many attempts for this code."],
};

/** What a {@link DoorcodeError} says beyond its code. Nothing in it may be a secret, a code or a phone number. */
export interface ErrorDetails {
  /** One sentence for the developer: what to do. The title of the code when left out. */
  readonly message?: string;
  /** Seconds after which the same request may succeed; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The service's id of the call, to quote to its support. */
  readonly requestId?: string;
  /** Of a call to the service: "refused" when it surely did not do what was asked, "unknown" when nobody can know. */
  readonly outcome?: "refused" | "unknown";
  /** Members added to the problem document, such as `attemptsLeft`. */
  readonly members?: Readonly<Record<string, string | number>>;
  readonly cause?: unknown;
}

/**
 * A refusal with a stable `code`, the HTTP `status` that belongs to it and a sentence that says what to do.
 *
 * It holds no phone number, one-time code, API key or signing secret, so it may be logged.
 */
export class DoorcodeError extends Error {
  override readonly name = "DoorcodeError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly title: string;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;
  readonly outcome: "refused" | "unknown" | undefined;
  readonly members: Readonly<Record<string, string | number>> | undefined;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const [status, title] = table[code];
    super(details.message ?? title, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = status;
    this.title = title;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.requestId = details.requestId;
    this.outcome = details.outcome;
    this.members = details.members;
  }
}

/**
 * Tells whether a thrown value is a {@link DoorcodeError}, also one that another copy of the package threw.
 *
 * @example
 * import { isDoorcodeError } from "@doorcode/core";
 * try {
 *   JSON.parse("{");
 * } catch (error) {
 *   if (isDoorcodeError(error) && error.code === "service_rate_limited") console.log(error.retryAfterSeconds);
 * }
 */
export function isDoorcodeError(value: unknown): value is DoorcodeError {
  return value instanceof Error && value.name === "DoorcodeError" && "code" in value;
}

/** The sentence that belongs to a code, for a page that was led back with `?problem=code`; `undefined` for any other text. */
export function problemTitle(code: string): string | undefined {
  return isErrorCode(code) ? table[code][1] : undefined;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(table, code);
}
