/**
 * Parses an absolute URL over which secrets may travel: `https`, or `http` on this machine.
 *
 * @returns `undefined` for anything else, URLs with a user name or password in them included.
 */
export function parseSecureUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (!url || url.username !== "" || url.password !== "") return undefined;
  const secure = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  return secure ? url : undefined;
}

/** `hostname` as URL writes it: every spelling of an IPv4 address has become four decimal numbers. */
function isLoopback(hostname: string): boolean {
  const isLocalName = hostname === "localhost" || hostname.endsWith(".localhost");
  return isLocalName || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
