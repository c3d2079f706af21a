import { isLoopbackOrigin } from "../primitives/loopback.ts";
import type { HttpRequest } from "./exchange.ts";

/** The origins that may POST to the login: the configured list, or any loopback origin in development. */
export type Origins = ReadonlySet<string> | "loopback";

/**
 * Tells whether a POST comes from the app's own pages, or from a client that is not a browser.
 *
 * A browser's POST is accepted if its `Sec-Fetch-Site` is `same-origin` or its `Origin` is configured. The origin is never
 * compared with the `Host` header, because the client chooses that. A request without both headers does not come from a
 * current browser. It must be JSON, which a page of another site cannot send without a preflight.
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
