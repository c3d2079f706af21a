import { isLoopbackOrigin } from "../primitives/loopback.ts";
import type { HttpRequest } from "./exchange.ts";

/** The origins that may post to the login: a list from the configuration, or any loopback while developing. */
export type Origins = ReadonlySet<string> | "loopback";

/**
 * Tells whether a post comes from the app's own pages, or from something that is no browser.
 *
 * The first header that speaks decides, and what it is compared with comes from the configuration, never from the
 * request: a `Host` header is the client's to choose. A request without either header is no browser of this decade;
 * only JSON passes then, which no foreign page can send without asking first.
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
