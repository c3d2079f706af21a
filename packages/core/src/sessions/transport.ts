import { z } from "zod";
import type { RequestHeaders } from "../util/headers.ts";

/**
 * How the logins and sessions of an app travel: in cookies that scripts cannot read, as tokens for apps on phones, or as each
 * client asks.
 */
export type Transport = "cookie" | "bearer" | "both";

/**
 * The shape of the option `transport`.
 *
 * @internal
 */
export const transportShape: z.ZodType<Transport> = z.enum(
  ["cookie", "bearer", "both"],
  'expected "cookie", "bearer" or "both"',
);

/** How the login and the session of one request travel. */
export type RequestTransport = Exclude<Transport, "both">;

/** The header by which a client asks for tokens: `bearer`. A page of another site cannot send it without a preflight. */
const transportHeader = "doorcode-transport";

/** The header that carries the token of an open login. */
export const transactionHeader = "doorcode-transaction";

/** The header that carries the token of a device. */
export const deviceHeader = "doorcode-device";

/**
 * Decides how a request travels, from its headers alone. With a token, the cookies of a request do not count, even if the token is
 * not valid. A bearer token of another form is not the kit's, for example that of a gateway in front: it is ignored.
 */
export function transportOf(transport: Transport, headers: RequestHeaders): RequestTransport {
  if (transport !== "both") return transport;
  const hasToken = headers[transactionHeader] !== undefined || headers[deviceHeader] !== undefined;
  return hasToken || asksForTokens(headers) || readSessionToken(headers) !== undefined ? "bearer" : "cookie";
}

/** Tells whether a request says by its header that it wants tokens. */
export function asksForTokens(headers: RequestHeaders): boolean {
  return headers[transportHeader] === "bearer";
}

/**
 * Returns the header of a 401 that tells a client to send a token (RFC 6750), for a login that has tokens. A client whose token is no
 * longer valid learns that.
 */
export function bearerChallenge(transport: Transport, headers: RequestHeaders): Readonly<Record<string, string>> {
  if (transport === "cookie") return {};
  const hasSentToken = bearerIn(headers) !== undefined && transportOf(transport, headers) === "bearer";
  return { "www-authenticate": hasSentToken ? 'Bearer error="invalid_token"' : "Bearer" };
}

/** Returns the bearer token of a request, the kit's or another one. */
function bearerIn({ authorization }: RequestHeaders): string | undefined {
  return typeof authorization === "string" ? /^bearer +(.*)$/is.exec(authorization)?.[1] : undefined;
}

/** The beginning of a session's token. A token that begins so is meant for the kit, also if it is not valid. */
const tokenPrefix = "sessionToken.";

/** Returns the session's token of a request, valid or not. */
export function readSessionToken(headers: RequestHeaders): string | undefined {
  const token = bearerIn(headers);
  return token?.startsWith(tokenPrefix) ? token : undefined;
}

/** The characters that RFC 6750 allows in a token. A seal has stars besides, and no slashes. */
const allowedInToken = /^[\w.~/-]+$/;

/** Returns the seal in a session's token, if the kit could have issued it. */
export function sealOfToken(token: string): string | undefined {
  return allowedInToken.test(token) ? token.slice(tokenPrefix.length).replaceAll("/", "*") : undefined;
}

/** Writes a seal as a bearer token. */
export function bearerTokenOf(seal: string): string {
  return `${tokenPrefix}${seal.replaceAll("*", "/")}`;
}
