import type { Origins } from "../http/same-origin.ts";
import { isLoopbackOrigin } from "../primitives/loopback.ts";

/** The origins that may post to the login, and whether cookies are sent over https only. */
export interface OriginPolicy {
  readonly origins: Origins;
  readonly secure: boolean;
}

/**
 * Decides once, from the configuration alone, which origins may post to the login and how its cookies are sent. Without
 * origins only this machine is served, whatever `NODE_ENV` says.
 *
 * @throws TypeError in production without origins or with http, and for a mix of https and http
 */
export function decideOrigins(origins: readonly string[] | undefined, production: boolean): OriginPolicy {
  const fix = 'list the origins of your pages, such as origins: ["https://app.example.com"]';
  if (!origins) {
    if (production) throw new TypeError(`createDoorcode: origins is missing, and production needs it: ${fix}.`);
    return { origins: "loopback", secure: false };
  }
  const secure = origins.every((origin) => origin.startsWith("https:"));
  if (secure) return { origins: new Set(origins), secure };
  if (production) throw new TypeError(`createDoorcode: origins has http, which production refuses: ${fix}.`);
  if (!origins.every((origin) => isLoopbackOrigin(origin) && origin.startsWith("http:"))) {
    throw new TypeError("createDoorcode: origins must be all https, or all http on this machine while developing.");
  }
  return { origins: new Set(origins), secure };
}
