import type { Mount } from "../http/exchange.ts";
import { pathBelow } from "./base-path.ts";
import { createFetchRequest } from "./request.ts";
import { createFetchResponse } from "./response.ts";

/** What the app's own sessions are given to read. */
export interface FetchReading {
  readonly request: Request;
}

/** What the app's own sessions are given to start and end with. */
export interface FetchNative extends FetchReading {
  /** Headers that the answer will carry: a session that lives in a cookie appends its `set-cookie` here. */
  readonly responseHeaders: Headers;
}

/** What no `Request` says. */
export interface FetchClient {
  /** The client's address by the host's own proxy rules; `undefined` when the host has none to tell. */
  readonly remoteAddress: string | undefined;
}

/** Makes the endpoints of a mount below a path that was checked. */
export function serve(
  mount: Mount<FetchNative>,
  basePath: string,
): (request: Request, client: FetchClient) => Promise<Response | undefined> {
  return async (request, { remoteAddress }) => {
    const path = pathBelow(basePath, new URL(request.url).pathname);
    if (path === undefined) return undefined;
    const responseHeaders = new Headers();
    const answer = await mount.handle(createFetchRequest(request, { path, remoteAddress }), {
      request,
      responseHeaders,
    });
    return answer && createFetchResponse(answer, request, responseHeaders);
  };
}
