import { isLoopbackOrigin } from "../util/loopback.ts";

/**
 * Parses an absolute URL to which secrets may be sent: `https`, or `http` on this machine.
 *
 * @returns `undefined` for any other text, and for a URL with a user name or password.
 */
export function parseSecureUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url?.username !== "" || url.password !== "") return undefined;
  return url.protocol === "https:" || isLoopbackOrigin(url.origin) ? url : undefined;
}
