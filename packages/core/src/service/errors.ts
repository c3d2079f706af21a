import { z } from "zod";
import { DoorcodeError, type ErrorCode } from "../util/errors.ts";
import type { Redaction } from "../util/redact.ts";
import { textOrNone } from "./fields.ts";

/** An answer of the service, with any status. */
export interface Answer {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  /** The parsed JSON; `undefined` if the body is not JSON or exceeds the limit. */
  readonly body: unknown;
}

const nested = z.object({ code: textOrNone, message: textOrNone }).catch({ code: "", message: "" });

/** The fields in which services describe a refusal. The specification does not show where its codes stand. */
const refusalShape = z.object({
  request_id: textOrNone,
  error_code: textOrNone,
  error_message: textOrNone,
  code: textOrNone,
  message: textOrNone,
  error: nested,
  errors: z.array(nested).catch([]),
});

type Refusal = z.output<typeof refusalShape>;

/** Reads a body of any form. A field that is absent or no text is an empty text. */
function readRefusal(body: unknown): Refusal {
  return refusalShape.safeParse(body).data ?? refusalShape.parse({});
}

/**
 * Chooses the code of an answer that is not 2xx, by its status and a known code in its body of any form. @see "Errors" of the specification
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
  const refusal = readRefusal(body);
  const [firstWord = ""] = /[\w.]*\w/.exec(refusal.message.trimStart().slice(0, 100)) ?? [];
  return [...codesOf(refusal), firstWord].map(knownCode).find((code) => code !== undefined);
}

function codesOf({ error_code, code, error, errors }: Refusal): readonly string[] {
  return [error_code, code, error.code, errors[0]?.code ?? ""].filter((found) => found !== "");
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

/** The codes after which it is unknown whether the service acted on the request. */
const unknownOutcomes: readonly ErrorCode[] = ["service_unavailable", "service_unreadable"];

/** Creates the error of an answer, with the service's redacted text and a hint at what the developer should look at. */
export function createServiceError(
  code: ErrorCode,
  { body, retryAfterSeconds }: Answer,
  redaction: Redaction,
  hint?: string,
): DoorcodeError {
  const refusal = readRefusal(body);
  const { message, error_message, error, errors } = refusal;
  const said = message || error_message || error.message || errors[0]?.message || "";
  const text = redaction.clean(`${codesOf(refusal)[0] ?? ""} ${said}`);
  const sentences = [text && `The service answered: ${text}`, hint && `${hint}.`].filter(Boolean);
  const requestId = refusal.request_id;
  return new DoorcodeError(code, {
    outcome: unknownOutcomes.includes(code) ? "unknown" : "refused",
    ...(sentences.length > 0 && { message: sentences.join(" ") }),
    ...(redaction.isClean(requestId) && { requestId }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
