import { isLoopbackOrigin } from "../primitives/loopback.ts";

/**
 * Parses an absolute URL over which secrets may travel: `https`, or `http` on this machine.
 *
 * @returns `undefined` for anything else, a URL with a user name or password in it included.
 */
export function parseSecureUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url?.username !== "" || url.password !== "") return undefined;
  return url.protocol === "https:" || isLoopbackOrigin(url.origin) ? url : undefined;
}
