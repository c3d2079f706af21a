import { asksForTokens, type RequestTransport, type Transport, transportOf } from "../sessions/transport.ts";
import type { ErrorCode } from "../util/errors.ts";
import { refuse } from "./answers.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";
import { type BodyFormat, bodyFormat } from "./login-body.ts";
import { isSameOrigin, isWebPage, type Origins } from "./origin.ts";

/** Reads the format of a body. A form is answered with a redirect, which cannot carry tokens. */
export function formatFor(transport: RequestTransport, request: HttpRequest): BodyFormat | undefined {
  const format = bodyFormat(request);
  return transport === "bearer" && format === "form" ? undefined : format;
}

/**
 * Returns why a POST is refused before its body is read. The origin is checked however the request travels, so no header of a
 * client turns the check off.
 */
export function refuseUnread(
  request: HttpRequest,
  origins: Origins,
  format: BodyFormat | undefined,
  transport: Transport,
): ErrorCode | undefined {
  if (request.method !== "POST") return "method_not_allowed";
  if (!isSameOrigin(request, origins, format === "json")) return "foreign_origin";
  if (!allowsTransport(request, transport)) return "transport_not_allowed";
  return format === undefined ? "media_type_unsupported" : undefined;
}

/**
 * Tells whether a request may travel as it does. With `both`, a page of a website gets no tokens: they would give a script that was
 * injected into it what cookies keep from it.
 */
function allowsTransport(request: HttpRequest, transport: Transport): boolean {
  if (transport === "cookie") return !asksForTokens(request.headers);
  if (transport === "bearer") return true;
  return transportOf(transport, request.headers) === "cookie" || !isWebPage(request);
}

/** Creates the answer of such a refusal. */
export function answerUnread(refusal: ErrorCode): HttpResponse {
  if (refusal === "method_not_allowed") return refuse(refusal, {}, { allow: "POST" });
  const message = fixes[refusal];
  return refuse(refusal, message === undefined ? {} : { message });
}

const fixes: Readonly<Partial<Record<ErrorCode, string>>> = {
  foreign_origin:
    "Send the POST from a page whose origin is in `origins`. A client that is not a browser sends application/json without Origin.",
  transport_not_allowed:
    'Tokens are handed out with session: { transport: "both" }, to clients that are no pages of a website, or with "bearer", to all.',
};
