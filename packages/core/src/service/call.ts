import type { DoorcodeError, ErrorCode } from "../util/errors.ts";
import { createRedaction } from "../util/redact.ts";
import { chooseCode, createServiceError, readKnownCode } from "./refusal.ts";
import type { ServiceRequest, Transport } from "./transport.ts";

/** A request, and the texts in it that no error may contain. */
export interface ServiceCall extends ServiceRequest {
  /** The phone numbers, codes and texts that the service might echo. */
  readonly sensitive: readonly string[];
  /** What the developer should look at if the service refuses the request with this code. */
  readonly hints?: Readonly<Partial<Record<ErrorCode, string>>>;
}

/** An answer with a 2xx status. */
export interface AcceptedAnswer {
  /** The parsed JSON; `undefined` if the body is not JSON. */
  readonly body: unknown;
  /** Creates the error to throw when the body shows no success, or cannot be read. */
  error(code: ErrorCode): DoorcodeError;
}

/** Sends a request, and rejects with an error unless the answer has a 2xx status. */
export type Call = (request: ServiceCall) => Promise<AcceptedAnswer>;

/** Creates the function that turns refusals into errors, for every request. */
export function createCall(transport: Transport, apiKey: string): Call {
  return async ({ sensitive, hints = {}, ...request }) => {
    const answer = await transport(request);
    const redaction = createRedaction([apiKey, ...sensitive]);
    const isSuccess = answer.status >= 200 && answer.status < 300;
    const error = (code: ErrorCode) => createServiceError(code, answer, redaction, hints[code]);
    if (!isSuccess) throw error(chooseCode(answer));
    return { body: answer.body, error };
  };
}

/**
 * Returns the hint for a path that every service has: if nothing is there, the base URL is wrong. A path with an id may be unknown
 * for another reason. Not checked at start, because the specification shows no version, and a proxy may have any path.
 */
export function missingPathHint(path: string): NonNullable<ServiceCall["hints"]> {
  const hint = `Nothing answers at ${path} below service.baseUrl. Its path may be missing, such as /v1`;
  return { service_not_found: hint };
}

/**
 * Throws if a creation was answered with 2xx but its `error_code` is not empty.
 *
 * @see "Verification response" of the specification
 */
export function throwIfRefused({ body, error }: AcceptedAnswer): void {
  const isRefusal = typeof body === "object" && body !== null && "error_code" in body && Boolean(body.error_code);
  if (isRefusal) throw error(readKnownCode(body) ?? "service_invalid_request");
}
