import { DoorcodeError, type ErrorCode, type ErrorDetails } from "../primitives/errors.ts";
import type { HttpResponse } from "./exchange.ts";

/** Never to be kept by a cache: every answer of the kit depends on who asks and when. */
export const noStore = { "cache-control": "no-store" } as const;

/** Answers with a JSON body. */
export function jsonResponse(status: number, body: unknown, cookies: readonly string[] = []): HttpResponse {
  return { status, headers: { "content-type": "application/json", ...noStore }, cookies, body: JSON.stringify(body) };
}

/**
 * Turns a refusal into an RFC 9457 problem document with the stable `code` beside the standard members.
 *
 * @param headers - added to the answer, such as `allow`.
 */
export function problem(error: DoorcodeError, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  const { code, status, title, message, retryAfterSeconds, members } = error;
  const document = {
    type: "about:blank",
    title,
    status,
    code,
    ...(message !== title && { detail: message }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...members,
  };
  return {
    status,
    code,
    cookies: [],
    headers: {
      "content-type": "application/problem+json",
      ...noStore,
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
      // The rest of an oversized body is not read, so the connection cannot be used again.
      ...(code === "body_too_large" && { connection: "close" }),
      ...headers,
    },
    body: JSON.stringify(document),
  };
}

/** Answers with the problem of a code, where nothing has to be thrown. */
export function refuse(
  code: ErrorCode,
  details?: ErrorDetails,
  headers?: Readonly<Record<string, string>>,
): HttpResponse {
  return problem(new DoorcodeError(code, details), headers);
}
