import type { Context, MiddlewareHandler } from "hono";
import { Refusal } from "../refusal.ts";
import { isLoopbackHostname } from "../webhook/loopback.ts";

/**
 * Keeps pages of other sites out: they can read nothing and do nothing here.
 *
 * The Host must be this machine, against names that are made to resolve to it; an Origin must be this server's own. Reads
 * that carry no Origin are told by `Sec-Fetch-Site`, except for following a link, which shows the answer to nobody else.
 *
 * @throws Refusal `request.foreign_host`; `request.foreign_origin`
 */
export const guard: MiddlewareHandler = async (c, next) => {
  const host = c.req.header("host") ?? new URL(c.req.url).host;
  if (!isLoopbackHostname(URL.parse(`http://${host}`)?.hostname ?? "")) {
    throw new Refusal("request.foreign_host", "The Host header must name this machine.");
  }
  const origin = c.req.header("origin");
  if (origin !== undefined ? origin !== `http://${host}` : isForeignFetch(c)) {
    throw new Refusal("request.foreign_origin", "Pages of other sites may not use the sandbox.");
  }
  await next();
};

function isForeignFetch(c: Context): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site === undefined || site === "same-origin" || site === "none") return false;
  const followsLink = c.req.method === "GET" && c.req.header("sec-fetch-dest") === "document";
  return !followsLink;
}
