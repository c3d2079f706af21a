import type { Context, MiddlewareHandler } from "hono";
import { Refusal } from "../primitives/errors.ts";
import { isLoopbackHostname } from "../primitives/loopback.ts";

/**
 * Refuses requests from pages of other sites, so that they can neither read nor change anything.
 *
 * The Host header must name this machine or an allowed name. Otherwise another site could make its own name resolve to
 * this machine. An Origin header must name this server. Requests without an Origin are checked by `Sec-Fetch-Site`.
 * Following a link from another site is allowed, because that site cannot see the answer.
 *
 * @throws Refusal `request.foreign_host`; `request.foreign_origin`
 */
export function guard(allowedHosts: readonly string[]): MiddlewareHandler {
  const allowed = new Set(allowedHosts.map((name) => name.toLowerCase()));
  return async (c, next) => {
    const host = c.req.header("host") ?? new URL(c.req.url).host;
    const hostname = URL.parse(`http://${host}`)?.hostname ?? "";
    if (!isLoopbackHostname(hostname) && !allowed.has(hostname)) {
      throw new Refusal("request.foreign_host", "The Host header must name this machine.");
    }
    const origin = c.req.header("origin");
    if (origin !== undefined ? origin !== `http://${host}` : isForeignFetch(c)) {
      throw new Refusal("request.foreign_origin", "Pages of other sites may not use the sandbox.");
    }
    await next();
  };
}

function isForeignFetch(c: Context): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site === undefined || site === "same-origin" || site === "none") return false;
  const followsLink = c.req.method === "GET" && c.req.header("sec-fetch-dest") === "document";
  return !followsLink;
}
