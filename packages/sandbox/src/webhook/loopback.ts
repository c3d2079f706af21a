/** Tells whether a host name of a parsed URL can only mean this machine. */
export function isLoopbackHostname(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Tells whether a text is an http or https URL that leads to this machine and nowhere else. */
export function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && isLoopbackHostname(url.hostname);
}
