import type { HttpRequest } from "@doorcode/core/adapter";
import { isLoopbackOrigin } from "@doorcode/core/adapter";

/** The headers by which a proxy says that the client is another machine. */
const forwarding = /forwarded|^via$|^cdn-loop$|(client|connecting|real|remote)-?(ip|addr)/;

/**
 * Tells whether a request comes from this machine itself: from its address, to its name, and through no proxy. A site whose name leads to
 * this machine has another host, and a proxy on this machine adds a header.
 */
export function isFromThisMachine({ remoteAddress, headers }: HttpRequest): boolean {
  const host = headers.host ?? headers[":authority"];
  if (typeof host !== "string" || !isLoopbackOrigin(`http://${host}`)) return false;
  if (!remoteAddress || !/^(127\.|::ffff:127\.|::1$)/.test(remoteAddress)) return false;
  return !Object.keys(headers).some((name) => forwarding.test(name));
}
