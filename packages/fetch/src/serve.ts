import type { Mount } from "@doorcode/core/adapter";
import { answerAndHandOver, type WaitUntil } from "@doorcode/core/adapter";
import { pathBelow } from "./base-path.ts";
import { createFetchRequest } from "./request.ts";
import { createFetchResponse } from "./response.ts";

/** The argument of the app's own `session.current`. */
export interface FetchReadContext {
  /** The request. */
  readonly request: Request;
}

/** The argument of the app's own `session.start` and `session.end`. */
export interface FetchRequestContext extends FetchReadContext {
  /** The headers of the answer. A session in a cookie appends its `set-cookie` here. */
  readonly responseHeaders: Headers;
}

/** Facts about the client that a `Request` does not have. */
export interface FetchClient {
  /** The client's address, by the host's own proxy rules; `undefined` if the host does not know it. */
  readonly remoteAddress: string | undefined;
  /** Takes the work that goes on after the answer, on a host that freezes its processes then. Default: none does. */
  readonly waitUntil?: WaitUntil;
}

/** Serves the requests of a mount. Returns `undefined` for a request that is not its own. */
export type ServeFetch = (request: Request, client: FetchClient) => Promise<Response | undefined>;

const wrongAddress =
  "phoneLogin: remoteAddress must be the client's address as a string, or undefined. A function for it must not be async.";

/** Serves a mount below a base path that {@link checkBasePath} has returned. */
export function serve(mount: Mount<FetchRequestContext>, basePath: string): ServeFetch {
  return async (request, { remoteAddress, waitUntil }) => {
    const path = pathBelow(basePath, new URL(request.url).pathname);
    if (path === undefined) return undefined;
    if (remoteAddress != null && typeof remoteAddress !== "string") throw new TypeError(wrongAddress);
    const responseHeaders = new Headers();
    const context = { request, responseHeaders };
    const handle = () => mount.handle(createFetchRequest(request, { basePath, path, remoteAddress }), context);
    const answer = await answerAndHandOver(waitUntil, handle);
    return answer && createFetchResponse(answer, request, responseHeaders);
  };
}
