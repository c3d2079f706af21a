import { DoorcodeError, type ErrorCode } from "../primitives/errors.ts";
import type { Redaction } from "../primitives/redact.ts";
import { readText } from "./read-text.ts";
import type { Answer } from "./transport.ts";

/** The codes after which nobody knows whether the service did what it was asked. */
const doubtful: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["service_unavailable", "service_unreadable"]);

/**
 * Chooses the code of an answer that is no success: by its status, and more exactly by a known code in its body.
 *
 * The specification shows neither status nor body for a bad key, a wrong field, an unknown id or a sender that is not
 * registered, so any body will do.
 *
 * @see "Errors" of the specification
 */
export function chooseCode({ status, body }: Answer): ErrorCode {
  // 408 is what proxies answer, and they may have passed the request on.
  if (status >= 500 || status === 408) return "service_unavailable";
  // Redirects are not followed, since they would carry the API key elsewhere.
  if (status < 400) return "service_unreadable";
  if (status === 429) return "service_rate_limited";
  const known = readKnownCode(body);
  if (known !== undefined) return known;
  if (status === 401 || status === 403) return "service_unauthorized";
  return status === 404 ? "service_not_found" : "service_invalid_request";
}

/** Finds a code of the service that has a meaning of its own, wherever in the body it stands. */
export function readKnownCode(body: unknown): ErrorCode | undefined {
  const [firstWord = ""] = /[\w.]*\w/.exec(readText(body, "message").trimStart().slice(0, 100)) ?? [];
  return [...readCodes(body), firstWord].map(knownCode).find((code) => code !== undefined);
}

function knownCode(code: string): ErrorCode | undefined {
  switch (code) {
    case "verify.invalid_code":
    case "verify.expired":
    case "verify.max_attempts_reached":
      return code;
    default:
      return code.includes("sender_not_registered") ? "sender_not_registered" : undefined;
  }
}

/** Makes an error of an answer: with the service's own words, redacted, its id of the call, and when to come again. */
export function createServiceError(code: ErrorCode, answer: Answer, redaction: Redaction): DoorcodeError {
  const { body, retryAfterSeconds } = answer;
  const words = redaction.clean(readWords(body));
  const requestId = readText(body, "request_id");
  const isQuotable = /^[\x21-\x7e]{1,200}$/.test(requestId) && redaction.isClean(requestId);
  return new DoorcodeError(code, {
    outcome: doubtful.has(code) ? "unknown" : "refused",
    ...(words !== "" && { message: `The service says: ${words}` }),
    ...(isQuotable && { requestId }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function readWords(body: unknown): string {
  const [code = ""] = readCodes(body);
  const messages = ["message", "error_message", "error.message", "errors.0.message"];
  const message = messages.map((path) => readText(body, path)).find((text) => text !== "") ?? "";
  return `${code} ${message}`;
}

/** What stands where services put the code of a refusal. */
function readCodes(body: unknown): readonly string[] {
  const places = ["error_code", "code", "error.code", "errors.0.code"];
  return places.map((path) => readText(body, path)).filter((code) => code !== "");
}
