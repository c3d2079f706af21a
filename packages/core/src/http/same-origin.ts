import { DoorcodeError } from "../primitives/errors.ts";
import type { WithHeaders } from "../primitives/headers.ts";
import { isLocalRequest, isLoopbackOrigin } from "../primitives/loopback.ts";
import { createWarning } from "../primitives/warn.ts";
import type { HttpRequest } from "./exchange.ts";

/** The origins that may POST to the login: the configured list, or any loopback origin if there is none. */
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
  if (typeof origin === "string" && allows(origins, origin)) return true;
  // Behind a proxy any site may look like this machine, except for the origin of its pages. A page without referrer has none.
  if (origins === "loopback" && origin !== undefined && origin !== "null") return false;
  if (site === "same-origin") return true;
  if (site !== undefined || origin !== undefined) return false;
  return isJson;
}

function allows(origins: Origins, origin: string): boolean {
  return origins === "loopback" ? isLoopbackOrigin(origin) : origins.has(origin);
}

const originsMissing =
  "createDoorcode was called without `origins`, so it serves requests to this machine only. Set it to the address of your " +
  'pages, such as origins: ["https://app.example.com"].';

/**
 * Creates the check of the host that a request was made to: without `origins` only this machine is served, because its
 * cookies are not meant for a network.
 *
 * @returns a function that throws `host_not_allowed`.
 */
export function createHostCheck(origins: Origins): (request: WithHeaders) => void {
  if (origins !== "loopback") return () => undefined;
  const warn = createWarning("origins_missing", originsMissing);
  return (request) => {
    if (isLocalRequest(request)) return;
    warn();
    throw new DoorcodeError("host_not_allowed", { message: originsMissing });
  };
}
