import { types } from "node:util";

/** The HTTP status and the title of each code. Titles are shown to end users. */
const table = {
  // The request
  host_not_allowed: [403, "This address is not set up for logins. Use the usual address of this site."],
  foreign_origin: [403, "This request did not come from this site. Reload the page and try again."],
  transport_not_allowed: [403, "This app cannot log in here. Use the website, or contact support."],
  not_found: [404, "There is nothing at this address. Check the address."],
  method_not_allowed: [405, "This HTTP method is not allowed here. Use one that the Allow header lists."],
  media_type_unsupported: [415, "This content type is not supported. Send JSON or an HTML form."],
  body_malformed: [400, "The request could not be read. Check its data and try again."],
  body_too_large: [413, "The request is too large. Send less data."],
  body_too_slow: [408, "The request took too long to arrive. Send it again."],
  body_already_read: [
    500,
    "The request body was read before Doorcode received it. Mount Doorcode above every body parser.",
  ],
  server_busy: [503, "The server is busy. Please try again in a moment."],
  // A login
  phone_invalid: [400, "Enter a valid phone number, starting with + and the country code."],
  country_not_allowed: [400, "Phone numbers of this country are not accepted. Use a number of another country."],
  number_type_not_allowed: [400, "This type of phone number is not accepted. Use another number."],
  channel_not_allowed: [400, "Codes cannot be sent over this channel. Choose another channel."],
  cooldown: [429, "A code was sent a moment ago. Please wait before you request another one."],
  send_limit_reached: [429, "Too many codes were sent to this number. Please try again later."],
  number_range_closed: [429, "Codes cannot be sent to this number now. Please try again later, or use another number."],
  client_limit_reached: [429, "Too many logins from your network were not completed. Please try again later."],
  hourly_ceiling_reached: [503, "No more codes can be sent now. Please try again later."],
  daily_ceiling_reached: [503, "No more codes can be sent today. Please try again tomorrow."],
  cost_ceiling_reached: [503, "No more codes can be sent today. Please try again tomorrow."],
  challenge_required: [403, "Please confirm that you are not a robot, and request the code again."],
  send_denied: [403, "Codes are not sent to this number. Use another number, or contact support."],
  send_undecided: [503, "The code could not be sent now. Please try again in a moment."],
  send_failed: [502, "The code could not be sent. Check the phone number, or try again later."],
  code_malformed: [400, "Enter the whole code, with digits only."],
  code_rejected: [400, "That code is incorrect."],
  newer_code_sent: [400, "That code is incorrect. A newer code was sent: enter the code of the latest message."],
  code_expired: [400, "This code has expired. Request a new code."],
  attempts_exhausted: [400, "Too many attempts. Start the login again."],
  check_cooldown: [429, "Several codes were incorrect. Please wait before you enter another one."],
  too_many_failures: [429, "Too many incorrect codes for this number. Please try again later."],
  phone_closed: [403, "This number is closed after too many incorrect codes. Please contact support."],
  no_transaction: [400, "This login has expired. Request a new code."],
  transaction_replaced: [409, "A newer login was started in this browser. Reload the page to continue with it."],
  transaction_busy: [503, "This login is already being processed. Please try again in a moment."],
  login_refused: [403, "This phone number is not allowed here. Use another number."],
  login_unfinished: [503, "Your code is correct, but the login could not be completed. Enter the same code again."],
  login_superseded: [409, "This login took too long. Request a new code."],
  session_changed: [409, "The account changed after the code was sent. Request a new code."],
  // A number that is removed
  last_way_in: [409, "This number is the last way into your account. Add another number before you remove it."],
  phone_unknown: [404, "This number does not belong to your account. Reload the page to see your numbers."],
  removal_busy: [503, "Another number is being removed. Please try again in a moment."],
  removal_unfinished: [503, "The number may have been removed. Remove it again to make sure."],
  // A proof of a number
  proof_invalid: [400, "Your phone number is not confirmed. Please confirm it again."],
  proof_foreign: [400, "Your phone number was confirmed for something else. Please confirm it again here."],
  proof_expired: [400, "The confirmation of your phone number has expired. Please confirm it again."],
  // A session
  login_required: [401, "Please log in to continue."],
  proof_required: [403, "To continue, please confirm again that it is you."],
  session_too_large: [500, "The login could not be completed. Please contact support."],
  // A webhook
  signature_invalid: [401, "The delivery does not have a valid signature of the service."],
  handler_failed: [500, "The event could not be handled. Deliver it again."],
  handler_unfinished: [503, "The event is still being handled. Deliver it again later."],
  // The store
  store_unavailable: [503, "The data store is temporarily unavailable. Please try again in a moment."],
  // The service's answers
  service_unauthorized: [502, "The service did not accept the API key. Check the key."],
  service_invalid_request: [502, "The service refused the request. Check its fields."],
  service_not_found: [502, "The service does not know this id. Check it and try again."],
  service_rate_limited: [503, "The service received too many requests. Please try again later."],
  service_unavailable: [503, "The service is temporarily unavailable. Please try again in a moment."],
  service_unreadable: [502, "The service's answer could not be read. Check the URL of the service."],
  sender_not_registered: [502, "The sender is not registered with the service. Register it first."],
  "verify.invalid_code": [400, "That code is incorrect."],
  "verify.expired": [400, "This code has expired. Request a new code."],
  "verify.max_attempts_reached": [400, "Too many attempts for this code. Request a new code."],
} as const;

/** The code of a {@link DoorcodeError}. Codes are stable: compare codes, never messages. */
export type ErrorCode = keyof typeof table;

/** The details of a {@link DoorcodeError}. They must not contain a secret, a one-time code or a phone number. */
export interface ErrorDetails {
  /** A sentence that tells the developer what to do. Default: the title of the code. */
  readonly message?: string;
  /** The seconds after which the same request may succeed. They become `Retry-After`. */
  readonly retryAfterSeconds?: number;
  readonly requestId?: string;
  readonly outcome?: "refused" | "unknown";
  /** Further members of the problem document, such as `attemptsLeft`. */
  readonly members?: Readonly<Record<string, string | number>>;
  /** The error that led to this one. */
  readonly cause?: unknown;
}

/**
 * An error with a stable `code`, the HTTP `status` of that code and a sentence that says what to do. It contains no phone number, one-time
 * code, API key or signing secret, so it may be logged. Its `cause` may be an error of the app.
 */
export class DoorcodeError extends Error {
  override readonly name = "DoorcodeError";
  /** The stable code. */
  readonly code: ErrorCode;
  /** The HTTP status of the code. */
  readonly status: number;
  /** The title of the code, for end users. */
  readonly title: string;
  /** The seconds after which the same request may succeed. */
  readonly retryAfterSeconds: number | undefined;
  /** The service's id of the request, for its support; `undefined` if it may hold a phone number or a code. */
  readonly requestId: string | undefined;
  /** The outcome of a call to the service: "refused" if it surely did not act on the request, "unknown" otherwise. */
  readonly outcome: "refused" | "unknown" | undefined;
  /** Further members of the problem document. */
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

/** Tells whether a thrown value is a {@link DoorcodeError}, even of another copy of the package. */
export function isDoorcodeError(value: unknown): value is DoorcodeError {
  // A thrown proxy may throw when it is read, which this does not do.
  return types.isNativeError(value) && value.name === "DoorcodeError" && "code" in value;
}

/** Returns the title of a code, for a page that gets `?problem=code`; `undefined` for any other text. */
export function problemTitle(code: string): string | undefined {
  return isErrorCode(code) ? table[code][1] : undefined;
}

/** Every code. */
export const errorCodes: readonly ErrorCode[] = Object.keys(table).filter(isErrorCode);

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(table, code);
}

/** Gives a process warning with a stable code, for a mistake in the setup that would otherwise show nowhere. */
export function warn(code: string, message: string): void {
  process.emitWarning(message, { type: "DoorcodeWarning", code });
}

/** Creates a {@link warn} that speaks once, for a mistake that each request would repeat. */
export function createWarning(code: string, message: string): () => void {
  let warned = false;
  return () => {
    if (!warned) warn(code, message);
    warned = true;
  };
}
