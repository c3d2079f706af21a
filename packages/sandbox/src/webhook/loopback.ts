import type { LookupFunction } from "node:net";

/** Tells whether a host name of a parsed URL can only mean this machine: `localhost`, a name below it, 127.0.0.0/8, [::1]. */
export function isLoopbackHostname(hostname: string): boolean {
  return isLoopbackName(hostname) || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Tells whether a text is an http or https URL that leads to this machine and nowhere else. */
export function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && isLoopbackHostname(url.hostname);
}

/** Tells whether a host name is `localhost` or below it, and so is never to be asked of a resolver (RFC 6761, 6.3). */
export function isLoopbackName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

/** Answers both loopback addresses, whatever the name: servers on this machine listen on either. */
export const lookupLoopback: LookupFunction = (_hostname, { all }, callback) => {
  const addresses = [
    { address: "::1", family: 6 },
    { address: "127.0.0.1", family: 4 },
  ];
  if (all) callback(null, addresses);
  else callback(null, "127.0.0.1", 4);
};
