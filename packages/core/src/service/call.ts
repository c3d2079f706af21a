import type { DoorcodeError, ErrorCode } from "../primitives/errors.ts";
import { createRedaction } from "../primitives/redact.ts";
import { chooseCode, createServiceError, readKnownCode } from "./refusal.ts";
import type { ServiceRequest, Transport } from "./transport.ts";

/** A request, and the texts in it that no error may contain. */
export interface ServiceCall extends ServiceRequest {
  /** The phone numbers, codes and texts that the service might echo. */
  readonly sensitive: readonly string[];
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
  return async ({ sensitive, ...request }) => {
    const answer = await transport(request);
    const redaction = createRedaction([apiKey, ...sensitive]);
    const isSuccess = answer.status >= 200 && answer.status < 300;
    if (!isSuccess) throw createServiceError(chooseCode(answer), answer, redaction);
    return { body: answer.body, error: (code) => createServiceError(code, answer, redaction) };
  };
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
