import { DoorcodeError, type ErrorCode } from "../util/errors.ts";
import type { Redaction } from "../util/redact.ts";
import { readText } from "./read-text.ts";
import type { Answer } from "./transport.ts";

/** The codes after which it is unknown whether the service acted on the request. */
const unknownOutcomes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["service_unavailable", "service_unreadable"]);

/**
 * Chooses the code of an answer that is not 2xx: by its status, and more exactly by a known code in its body.
 *
 * The body may have any form: the specification shows neither status nor body for a bad key, a wrong field, an unknown
 * id or an unregistered sender.
 *
 * @see "Errors" of the specification
 */
export function chooseCode({ status, body }: Answer): ErrorCode {
  // Proxies answer 408, and they may have passed the request on.
  if (status >= 500 || status === 408) return "service_unavailable";
  // Redirects are not followed: that would send the API key to another host.
  if (status < 400) return "service_unreadable";
  if (status === 429) return "service_rate_limited";
  const known = readKnownCode(body);
  // Only a 400 judges a one-time code.
  if (known === "sender_not_registered" || (known !== undefined && status === 400)) return known;
  if (status === 404) return "service_not_found";
  // With a code of a verification, the service has not refused the key: perhaps it has compared the one-time code.
  const refusesKey = (status === 401 || status === 403) && known === undefined;
  return refusesKey ? "service_unauthorized" : "service_invalid_request";
}

/** Finds a known code of the service, in any of the usual fields of a body. */
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

/**
 * Creates the error of an answer, with the service's redacted text, its request id and the pause before a retry.
 *
 * @param hint - what the developer should look at.
 */
export function createServiceError(
  code: ErrorCode,
  answer: Answer,
  redaction: Redaction,
  hint?: string,
): DoorcodeError {
  const { body, retryAfterSeconds } = answer;
  const text = redaction.clean(readErrorText(body));
  const sentences = [text && `The service answered: ${text}`, hint && `${hint}.`].filter(Boolean);
  const requestId = readText(body, "request_id");
  return new DoorcodeError(code, {
    outcome: unknownOutcomes.has(code) ? "unknown" : "refused",
    ...(sentences.length > 0 && { message: sentences.join(" ") }),
    ...(redaction.isClean(requestId) && { requestId }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function readErrorText(body: unknown): string {
  const [code = ""] = readCodes(body);
  const messages = ["message", "error_message", "error.message", "errors.0.message"];
  const message = messages.map((path) => readText(body, path)).find((found) => found !== "") ?? "";
  return `${code} ${message}`;
}

/** Reads the fields in which services put the code of a refusal. */
function readCodes(body: unknown): readonly string[] {
  const places = ["error_code", "code", "error.code", "errors.0.code"];
  return places.map((path) => readText(body, path)).filter((code) => code !== "");
}
