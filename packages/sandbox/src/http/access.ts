import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";

/** Checks who may use the page and the control API of a sandbox with a token. */
export interface Access {
  /** Tells whether a request has the token in its Authorization header, or the cookie of a login. */
  isGranted(c: Context): boolean;
  /** Sets the cookie of a login on the answer, if the token is correct. Returns whether it is. */
  logIn(c: Context, token: string): boolean;
}

/**
 * Creates the access check for a token.
 *
 * The cookie holds a random value that is valid until the sandbox closes. It reveals nothing about the token, because
 * browsers send a cookie to every port of a host, also to other servers.
 */
export function createAccess(token: string): Access {
  const cookieValue = randomBytes(32).toString("base64url");
  return {
    isGranted(c) {
      const [, given] = /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
      return isSame(given, token) || isSame(getCookie(c, cookieName(c)), cookieValue);
    },
    logIn(c, given) {
      if (!isSame(given, token)) return false;
      setCookie(c, cookieName(c), cookieValue, { httpOnly: true, sameSite: "Strict", path: "/" });
      return true;
    },
  };
}

/** Sandboxes on several ports of one host must not overwrite each other's cookie. */
function cookieName(c: Context): string {
  return `doorcode-sandbox-${new URL(c.req.url).port || 80}`;
}

/** Compares digests, so the time depends neither on the first difference nor on the length. */
function isSame(given: string | undefined, secret: string): boolean {
  return given !== undefined && timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
