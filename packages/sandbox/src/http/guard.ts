import type { Context, MiddlewareHandler } from "hono";
import { Refusal } from "../refusal.ts";
import { isLoopbackHostname } from "../webhook/loopback.ts";

/**
 * Keeps pages of other sites out: they can read nothing and do nothing here.
 *
 * The Host must be this machine, or a name that was allowed, against names that are made to resolve to it; an Origin must
 * be this server's own. Reads that carry no Origin are told by `Sec-Fetch-Site`, except for following a link, which shows
 * the answer to nobody else.
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
