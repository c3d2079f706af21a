import { isPrivateAddress } from "./client-address.ts";
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
export function isLocalRequest(request: WithHeaders): boolean {
  return hostsOf(request).every(isLoopbackHost);
}

/**
 * Tells whether a request was made to this machine or to one of a private network, likewise. The host is an address, or a name below
 * `.local`, which no DNS server of the internet answers: a site that lets its own name lead into the network has another host.
 */
export function isPrivateRequest(request: WithHeaders): boolean {
  return hostsOf(request).every((host) => isLoopbackHost(host) || isPrivateHost(host));
}

/** Returns the origins that a page of the host of a request may have. */
export function ownOriginsOf(request: WithHeaders): readonly string[] {
  return hostsOf(request).flatMap((host) => [`http://${host}`, `https://${host}`]);
}

/** Tells whether a request names one host. With HTTP/2 it may have `Host` beside `:authority`, and a proxy may have looked at the other one. */
export function namesOneHost({ headers }: WithHeaders): boolean {
  const { host, ":authority": authority } = headers;
  return (
    host === undefined || authority === undefined || String(host).toLowerCase() === String(authority).toLowerCase()
  );
}

function hostsOf({ headers }: WithHeaders): readonly string[] {
  // HTTP/2 has this header in place of Host.
  const host = headers.host ?? headers[":authority"];
  const forwardedHost = headers["x-forwarded-host"];
  return [String(host), ...(forwardedHost === undefined ? [] : [String(forwardedHost)])];
}

function isLoopbackHost(host: string): boolean {
  return isLoopbackOrigin(`http://${host}`);
}

function isPrivateHost(host: string): boolean {
  const { hostname = "" } = URL.parse(`http://${host}`) ?? {};
  return hostname.endsWith(".local") || isPrivateAddress(hostname);
}
