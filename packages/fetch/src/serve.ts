import { answerAndHandOver, type HttpResponse, type Mount, refuse, type WaitUntil } from "@doorcode/core/adapter";
import { createFetchRequest } from "./request.ts";

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

/**
 * Checks the base path of a mount, and returns it as the URL of a request has it; an empty text for the root.
 *
 * @throws TypeError if it is no path, or ends with a slash
 */
export function checkBasePath(mount: string, basePath: string): string {
  if (basePath === "/") return "";
  if (typeof basePath === "string" && /^\/[^?#]*[^?#/]$/.test(basePath)) {
    return new URL(`http://localhost${basePath}`).pathname;
  }
  throw new TypeError(
    `${mount}: basePath: expected the path of the mount, without a slash at its end, such as "/login".`,
  );
}

/** Returns the path below the mount, without the slash that some hosts end each path with; `undefined` for a path that is not below it. */
function pathBelow(basePath: string, path: string): string | undefined {
  if (path === basePath) return "/";
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length).replace(/(?<=.)\/$/, "") : undefined;
}

/** What a host calls a handler with: a request, or an event that has one; and what the host adds. */
export type FetchCall = readonly [request: Request | { readonly request: Request }, ...more: unknown[]];

/** A handler of a host's route. It answers a path that is not the mount's with 404 `not_found`. */
export type FetchHandler<Call extends FetchCall> = (...call: Call) => Promise<Response>;

/** Options that a mount's handlers need of their host. */
export interface FetchHostOptions<Call extends FetchCall> {
  /** The client's address, by the host's own helper. `null` and `undefined` are a client that the host does not know. */
  readonly remoteAddress?: ((...call: Call) => string | null | undefined) | undefined;
  /**
   * Gives the host the work that goes on after an answer. A host that freezes its processes then keeps this one running.
   * Default: nothing is given, which is right for a server that goes on.
   */
  readonly waitUntil?: ((work: Promise<unknown>, ...call: Call) => unknown) | undefined;
}

/** Creates the handler of a mount. It rejects as the mount does, so that the host shows its error page. */
export function createHandler<Call extends FetchCall>(
  serve: ServeFetch,
  { remoteAddress, waitUntil }: FetchHostOptions<Call>,
): FetchHandler<Call> {
  return async (...call) => {
    const [first] = call;
    const request = "request" in first ? first.request : first;
    const client: FetchClient = {
      remoteAddress: remoteAddress?.(...call) ?? undefined,
      ...(waitUntil && { waitUntil: (work) => waitUntil(work, ...call) }),
    };
    return (await serve(request, client)) ?? createFetchResponse(refuse("not_found"), request, new Headers());
  };
}

/** Creates the `Response` of an answer of core. `headers` holds the headers that the app's own sessions have set. */
export function createFetchResponse(answer: HttpResponse, { method }: Request, headers: Headers): Response {
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, value);
  for (const cookie of answer.cookies) headers.append("set-cookie", cookie);
  return new Response(method === "HEAD" ? null : (answer.body ?? null), { status: answer.status, headers });
}
