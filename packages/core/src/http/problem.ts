import { DoorcodeError, type ErrorCode, type ErrorDetails } from "../util/errors.ts";
import type { HttpResponse } from "./exchange.ts";

/** The document with a section for each code. */
const problemsDocument = "https://github.com/doorcode/doorcode/blob/main/docs/problems.md";

/** The header that keeps caches from storing an answer. Nearly every answer of the kit depends on the client and the time. */
export const noStore = { "cache-control": "no-store" } as const;

/** The header of an answer to a request whose body is not read: the connection ends with the answer. */
export const closeConnection = { connection: "close" } as const;

/** Creates an answer with a JSON body. */
export function jsonResponse(status: number, body: unknown, cookies: readonly string[] = []): HttpResponse {
  return { status, headers: { "content-type": "application/json", ...noStore }, cookies, body: JSON.stringify(body) };
}

/**
 * Lets a client keep an answer that is the same for all, for five minutes. A cache that many clients share may not: an app may send
 * a session's cookie with every answer, and the cache would hand it out to all of them.
 */
export function cacheable(response: HttpResponse): HttpResponse {
  return { ...response, headers: { ...response.headers, "cache-control": "private, max-age=300" } };
}

/**
 * Creates the answer of a refusal: an RFC 9457 problem document with the stable `code` beside the standard members. Its `type` is
 * the address of the code's section in the documents.
 *
 * @param headers - further headers, such as `allow`.
 */
export function problem(error: DoorcodeError, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  const { code, status, title, message, retryAfterSeconds, members } = error;
  const document = {
    type: `${problemsDocument}#${code}`,
    title,
    status,
    code,
    ...(message !== title && { detail: message }),
    retryAfterSeconds,
    ...members,
  };
  return {
    status,
    cookies: [],
    headers: {
      "content-type": "application/problem+json",
      ...noStore,
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
      // The connection cannot be reused.
      ...(leavesBodyUnread(error) && closeConnection),
      ...headers,
    },
    body: JSON.stringify(document),
  };
}

/** Tells whether the reading of a body ended with this error before the body did. */
export function leavesBodyUnread({ code }: DoorcodeError): boolean {
  return code === "body_too_large" || code === "body_too_slow" || code === "server_busy";
}

/** Creates the answer of a refusal by its code. */
export function refuse(
  code: ErrorCode,
  details?: ErrorDetails,
  headers?: Readonly<Record<string, string>>,
): HttpResponse {
  return problem(new DoorcodeError(code, details), headers);
}
