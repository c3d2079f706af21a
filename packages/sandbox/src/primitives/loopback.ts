import type { LookupFunction } from "node:net";

/** Tells whether a host name of a parsed URL means this machine: `localhost`, a name below it, 127.0.0.0/8 or [::1]. */
export function isLoopbackHostname(hostname: string): boolean {
  return isLoopbackName(hostname) || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Tells whether only this machine can connect to a server that listens on this address or name. */
export function isLoopbackInterface(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Tells whether a text is an http or https URL on this machine. */
export function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && isLoopbackHostname(url.hostname);
}

/** Tells whether a host name is `localhost` or a name below it. A resolver must never be asked for it (RFC 6761, 6.3). */
export function isLoopbackName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

/** Returns both loopback addresses for any name, because local servers listen on either. */
export const lookupLoopback: LookupFunction = (_hostname, { all }, callback) => {
  const addresses = [
    { address: "::1", family: 6 },
    { address: "127.0.0.1", family: 4 },
  ];
  if (all) callback(null, addresses);
  else callback(null, "127.0.0.1", 4);
};
