import type { WithHeaders } from "./headers.ts";

/** Tells whether an origin is on this machine: `localhost`, a name below it, 127.0.0.0/8 or [::1]. */
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

/**
 * Tells whether a request was made to this machine, by its `Host` header. A proxy may put this machine there, so the host
 * that it forwards counts as well.
 */
export function isLocalRequest({ headers }: WithHeaders): boolean {
  // HTTP/2 has this header in place of Host.
  const host = headers.host ?? headers[":authority"];
  const forwardedHost = headers["x-forwarded-host"];
  return isLoopbackHost(host) && (forwardedHost === undefined || isLoopbackHost(forwardedHost));
}

function isLoopbackHost(host: string | readonly string[] | undefined): boolean {
  return typeof host === "string" && isLoopbackOrigin(`http://${host}`);
}
