import { isLoopbackOrigin, type Origins } from "../util/origin.ts";

/** The option `origins`: a list, or the word for a private network while developing. */
export type OriginsOption = readonly string[] | "private-network";

/** The origins that may post to the login, and whether cookies are sent over https only. */
export interface OriginPolicy {
  readonly origins: Origins;
  readonly secure: boolean;
}

/**
 * Decides once, from the configuration alone, which origins may post to the login and how its cookies are sent. Without
 * origins only this machine is served, whatever `NODE_ENV` says.
 *
 * @throws TypeError in production without origins, with http or for a private network; for a mix of https and http; and if no website is
 * among them
 */
export function decideOrigins(origins: OriginsOption | undefined, production: boolean): OriginPolicy {
  const fix = 'list the origins of your pages, such as origins: ["https://app.example.com"]';
  if (!origins) {
    if (production) throw new TypeError(`createDoorcode: origins is missing, and production needs it: ${fix}.`);
    return { origins: "loopback", secure: false };
  }
  if (origins === "private-network") {
    if (production) throw new TypeError(`createDoorcode: origins is for development only, which this is not: ${fix}.`);
    return { origins, secure: false };
  }
  // The page inside an app has a scheme of its own, and gets no cookies.
  const ofWebsites = origins.filter((origin) => origin.startsWith("http"));
  if (ofWebsites.length === 0) {
    throw new TypeError(`createDoorcode: origins has no website: add that of your app or its API; ${fix}.`);
  }
  const secure = ofWebsites.every((origin) => origin.startsWith("https:"));
  if (secure) return { origins: new Set(origins), secure };
  if (production) throw new TypeError(`createDoorcode: origins has http, which production refuses: ${fix}.`);
  if (!ofWebsites.every((origin) => isLoopbackOrigin(origin) && origin.startsWith("http:"))) {
    throw new TypeError("createDoorcode: origins must be all https, or all http on this machine while developing.");
  }
  return { origins: new Set(origins), secure };
}
