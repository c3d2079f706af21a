import type { DoorcodeError, ErrorCode } from "../primitives/errors.ts";
import { createRedaction } from "../primitives/redact.ts";
import { chooseCode, createServiceError, readKnownCode } from "./refusal.ts";
import type { ServiceRequest, Transport } from "./transport.ts";

/** A request, and what of it must not come back in an error. */
export interface ServiceCall extends ServiceRequest {
  /** Phone numbers, codes and texts that the service might echo. */
  readonly sensitive: readonly string[];
}

/** An answer with a status of success. */
export interface Accepted {
  /** Parsed JSON; `undefined` when it is none. */
  readonly body: unknown;
  /** The error to throw when the body says or hides that it was no success after all. */
  error(code: ErrorCode): DoorcodeError;
}

/** Sends a request and rejects with the error of any answer but a success. */
export type Call = (request: ServiceCall) => Promise<Accepted>;

/** Creates the one place in which answers become errors. */
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
 * Throws the error of a creation that was answered with a success and yet holds an `error_code`, which is empty when all
 * went well.
 *
 * @see "Verification response" of the specification
 */
export function refuseErrorCode({ body, error }: Accepted): void {
  const isRefusal = typeof body === "object" && body !== null && "error_code" in body && Boolean(body.error_code);
  if (isRefusal) throw error(readKnownCode(body) ?? "service_invalid_request");
}
