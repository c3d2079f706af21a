import type { HttpRequest } from "./exchange.ts";

/** The origins that may post to the login: a list from the configuration, or any loopback while developing. */
export type Origins = ReadonlySet<string> | "loopback";

/**
 * Tells whether a post comes from the app's own pages, or from something that is no browser.
 *
 * The first header that speaks decides, and what it is compared with comes from the configuration, never from the
 * request: a `Host` header is the client's to choose. A request without either header is no browser of this decade;
 * only JSON passes then, which no foreign page can send without asking first.
 */
export function isSameOrigin({ headers }: HttpRequest, origins: Origins, isJson: boolean): boolean {
  const site = headers["sec-fetch-site"];
  const origin = headers.origin;
  if (site === "same-origin") return true;
  if (typeof origin === "string" && allows(origins, origin)) return true;
  if (site !== undefined || origin !== undefined) return false;
  return isJson;
}

function allows(origins: Origins, origin: string): boolean {
  return origins === "loopback" ? isLoopbackOrigin(origin) : origins.has(origin);
}

/** Tells whether an origin is this machine: `localhost`, a name below it, 127.0.0.0/8 or [::1]. */
export function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { hostname, protocol } = new URL(origin);
  if (protocol !== "http:" && protocol !== "https:") return false;
  return (
    hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || isLoopbackIPv4(hostname)
  );
}

function isLoopbackIPv4(hostname: string): boolean {
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}
