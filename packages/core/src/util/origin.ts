import { isPrivateAddress } from "./client.ts";
import { createWarning, DoorcodeError } from "./errors.ts";
import type { WithHeaders } from "./headers.ts";

/** Tells whether an origin is on this machine: `localhost`, a name below it, 127.0.0.0/8 or [::1]. */
export function isLoopbackOrigin(origin: string): boolean {
  const { hostname = "", protocol } = URL.parse(origin) ?? {};
  if (protocol !== "http:" && protocol !== "https:") return false;
  if (hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]") return true;
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/** The origins that may POST to the login: those listed, any of this machine, or also those in its private network. */
export type Origins = ReadonlySet<string> | "loopback" | "private-network";

/** The option `origins`: a list, or the word for a private network while developing. */
export type OriginsOption = readonly string[] | "private-network";

/**
 * Decides once, from the configuration alone, which origins may post to the login and how its cookies are sent. Without origins only this
 * machine is served, with any `NODE_ENV`. Beside a service on this machine, production may have http origins of this machine.
 *
 * @returns the origins, and whether cookies are sent over https only.
 * @throws TypeError in production without origins, with other http or for a private network; for a mix of https and http; and if no website
 * is among them
 */
export function decideOrigins(
  origins: OriginsOption | undefined,
  { production, serviceUrl = "" }: { readonly production: boolean; readonly serviceUrl?: string | undefined },
): { readonly origins: Origins; readonly secure: boolean } {
  const fix = 'list the origins of your pages, such as origins: ["https://app.example.com"]';
  const onThisMachine =
    'On this machine, beside a service on this machine such as the sandbox, origins: ["http://localhost:3000"] works too; or unset ' +
    "NODE_ENV.";
  const refuse = (what: string) => new TypeError(`createDoorcode: origins ${what}: ${fix}. ${onThisMachine}`);
  if (!origins) {
    if (production) throw refuse("is missing, and NODE_ENV=production needs it");
    return { origins: "loopback", secure: false };
  }
  if (origins === "private-network") {
    if (production) throw refuse("is for development only, and NODE_ENV is production");
    return { origins, secure: false };
  }
  // The page inside an app has its own scheme, and gets no cookies.
  const ofWebsites = origins.filter((origin) => origin.startsWith("http"));
  if (ofWebsites.length === 0) {
    throw new TypeError(`createDoorcode: origins has no website: add that of your app or its API; ${fix}.`);
  }
  const secure = ofWebsites.every((origin) => origin.startsWith("https:"));
  if (secure) return { origins: new Set(origins), secure };
  // The sandbox needs no https: an app may have NODE_ENV=production in its `.env` on a developer's machine.
  if (production && !isLoopbackOrigin(serviceUrl)) {
    throw refuse(
      "has http, which NODE_ENV=production refuses beside a service (SERVICE_URL) that is not on this machine",
    );
  }
  if (!ofWebsites.every((origin) => isLoopbackOrigin(origin) && origin.startsWith("http:"))) {
    throw new TypeError("createDoorcode: origins must be all https, or all http on this machine while developing.");
  }
  return { origins: new Set(origins), secure };
}

/**
 * Tells whether a POST comes from the app's own pages, or from a client that is not a browser.
 *
 * A browser's POST is accepted if its `Sec-Fetch-Site` is `same-origin` or its `Origin` is configured. The origin is never compared with
 * the `Host` header, because the client chooses that; only in a private network, where the host is an address that no name can lead to. A
 * request without both headers does not come from a current browser. It must be JSON, which a page of another site cannot send without a
 * preflight.
 */
export function isSameOrigin(request: WithHeaders, origins: Origins, isJson: boolean): boolean {
  const { origin, "sec-fetch-site": site } = request.headers;
  if (typeof origin === "string" && allows(origins, origin, request)) return true;
  // Behind a proxy any site may look like this machine, except for the origin of its pages. A page without referrer has none.
  if (typeof origins === "string" && origin !== undefined && origin !== "null") return false;
  if (site === "same-origin") return true;
  return site === undefined && origin === undefined && isJson;
}

function allows(origins: Origins, origin: string, request: WithHeaders): boolean {
  if (typeof origins !== "string") return origins.has(origin);
  if (isLoopbackOrigin(origin)) return isLocalRequest(request);
  // A page of another machine of the network is another site.
  if (origins !== "private-network") return false;
  return hostsOf(request).some((host) => origin === `http://${host}` || origin === `https://${host}`);
}

/**
 * Tells whether a POST comes from a page of a website, and not from a program or from the page inside an app, whose origin has its own
 * scheme or is `localhost`. Every browser puts an `Origin` on a POST, and no script can take it off.
 */
export function isWebPage({ headers }: WithHeaders): boolean {
  const { origin, "sec-fetch-site": site } = headers;
  if (site !== undefined && site !== "cross-site") return true;
  if (origin === undefined) return site !== undefined;
  const text = String(origin);
  return !isLoopbackOrigin(text) && (text.startsWith("http") || !URL.canParse(text));
}

const originsMissing =
  "createDoorcode was called without `origins`, so it serves requests to this machine only. Set it to the address of your " +
  'pages, such as origins: ["https://app.example.com"].';

const privateHostOnly =
  'origins: "private-network" serves requests to a private address only, such as http://192.168.1.20:3000, and to names below .local.';

const twoHosts = "The request names two hosts: the pseudo-header :authority of HTTP/2 and the header Host must agree.";

/**
 * Creates the function that throws `host_not_allowed` for a request that names two hosts; without `origins` for every host but this
 * machine, whose cookies are not meant for a network; with `private-network` for a public one.
 */
export function createHostCheck(origins: Origins): (request: WithHeaders) => void {
  const isLocalOnly = origins === "loopback";
  const isServed = isLocalOnly ? isLocalRequest : isPrivateRequest;
  const message = isLocalOnly ? originsMissing : privateHostOnly;
  const warn = createWarning(isLocalOnly ? "origins_missing" : "host_not_private", message);
  return (request) => {
    if (!namesOneHost(request)) throw new DoorcodeError("host_not_allowed", { message: twoHosts });
    if (typeof origins !== "string" || isServed(request)) return;
    warn();
    throw new DoorcodeError("host_not_allowed", { message });
  };
}

function isLocalRequest(request: WithHeaders): boolean {
  return hostsOf(request).every(isLoopbackHost);
}

/**
 * Tells whether a request was made to this machine or to one of a private network. The host is an address, or a name below `.local`, which
 * no DNS server of the internet answers: a site that lets its own name lead into the network has another host.
 */
function isPrivateRequest(request: WithHeaders): boolean {
  return hostsOf(request).every((host) => isLoopbackHost(host) || isPrivateHost(host));
}

/** Tells whether a request names one host. With HTTP/2 it may have `Host` beside `:authority`, and a proxy may have read the other one. */
function namesOneHost({ headers }: WithHeaders): boolean {
  const { host, ":authority": authority } = headers;
  return (
    host === undefined || authority === undefined || String(host).toLowerCase() === String(authority).toLowerCase()
  );
}

/** Returns the hosts that a request names. A proxy may put this machine into `Host`, so the host that it forwards counts as well. */
function hostsOf({ headers }: WithHeaders): readonly string[] {
  // HTTP/2 has this header in place of Host.
  const host = headers.host ?? headers[":authority"];
  const forwardedHost = headers["x-forwarded-host"];
  return [String(host), ...(forwardedHost === undefined ? [] : [String(forwardedHost)])];
}

function isLoopbackHost(host: string): boolean {
  return isLoopbackOrigin(`http://${host}`);
}

function isPrivateHost(host: string): boolean {
  const { hostname = "" } = URL.parse(`http://${host}`) ?? {};
  return hostname.endsWith(".local") || isPrivateAddress(hostname);
}

/** Describes a wrong URL at the end of an error; empty for anything that may hold a secret: a user, a query, a fragment, or a key. */
export function describeWrongUrl(text: unknown): string {
  const isPlain = typeof text === "string" && /^(https?:\/\/[\w.:/-]+|[\w.-]+:\d+[\w./-]*)$/.test(text);
  return isPlain ? `, but this is ${JSON.stringify(text)}` : "";
}
