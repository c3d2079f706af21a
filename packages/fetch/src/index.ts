import {
  type AppSession,
  type AppSessionGuardOptions,
  type AppSessions,
  createLoginGuard,
  type Doorcode,
  functionOption,
  type GuardOptions,
  type LoginOffer,
  type LoginState,
  mountLogin,
  mountWebhooks,
  type PhoneLoginOptions,
  type ProxySetting,
  parseOptions,
  type RegisteredUser,
  readSession,
  type Session,
  strictOptions,
} from "@doorcode/core/adapter";
import { createFetchRequest, type FetchHeaders, requestOf } from "./request.ts";
import {
  checkBasePath,
  createFetchResponse,
  createHandler,
  type FetchCall,
  type FetchClient,
  type FetchHandler,
  type FetchHostOptions,
  type FetchReadContext,
  type FetchRequestContext,
  type ServeFetch,
  serve,
} from "./serve.ts";

export type { WaitUntil } from "@doorcode/core/adapter";
export type { FetchHeaders } from "./request.ts";
export {
  checkBasePath,
  createHandler,
  type FetchCall,
  type FetchClient,
  type FetchHandler,
  type FetchHostOptions,
  type FetchReadContext,
  type FetchRequestContext,
  type ServeFetch,
  serve,
} from "./serve.ts";

/** What a mount on a fetch host is called with, unless the host adds something. */
type OnlyRequest = readonly [request: Request];

/** A handler of a host's route. From functions that read nothing of a call, TypeScript infers every call. */
type HandlerOf<Call extends FetchCall> = FetchCall extends Call ? EveryHandler : FetchHandler<Call>;

/** A handler for every host. `next build` takes the last signature, and refuses a handler whose argument may be more than a request. */
interface EveryHandler {
  (event: { readonly request: Request }): Promise<Response>;
  (request: Request): Promise<Response>;
}

/** Where a mount stands. */
export interface FetchMountOptions {
  /** The path of the mount, such as `/login`; `/` for the root. */
  readonly basePath: string;
}

/** Options of {@link phoneLogin}. */
export interface FetchLoginOptions<Call extends FetchCall = OnlyRequest>
  extends FetchMountOptions,
    FetchHostOptions<Call>,
    PhoneLoginOptions<FetchRequestContext, FetchReadContext> {}

/** Options of {@link webhooks}. A webhook is known by its signature, so its client's address is not asked for. */
export interface FetchWebhookOptions<Call extends FetchCall = OnlyRequest>
  extends FetchMountOptions,
    Pick<FetchHostOptions<Call>, "waitUntil"> {}

const proxySetting: ProxySetting<unknown> = {
  fix:
    "Pass the client's address to the mount, as in phoneLogin(doorcode, { basePath, remoteAddress }): as your host gives it " +
    "behind its own proxy, or from the header that your proxy sets itself.",
  trustsEverybody: () => false,
};

const hostFunction = functionOption("expected a function").optional();
const loginShape = strictOptions({ remoteAddress: hostFunction, waitUntil: hostFunction });
const webhookShape = strictOptions({ waitUntil: hostFunction });

const remoteAddressFix =
  "phoneLogin: handlers need remoteAddress, the client's address, which limits are counted by. Give the helper of your host: " +
  '({ headers }) => headers.get("x-real-ip") where the platform sets this header; ' +
  "(event) => event.getClientAddress() on SvelteKit. With () => undefined all clients share the limits of one address.";

/** The endpoints of a login. Call it with each request; it returns `undefined` for a request that is not its own. */
export interface FetchLogin<Call extends FetchCall = OnlyRequest> extends ServeFetch {
  /**
   * The handlers of a route that a host calls by method: `export const { GET, POST } = login.handlers`.
   *
   * @throws TypeError if `phoneLogin` was called without `remoteAddress`
   */
  readonly handlers: { readonly GET: HandlerOf<Call>; readonly POST: HandlerOf<Call> };
  /** Reads the state of a browser's login, for the page that shows it. @throws DoorcodeError `store_unavailable` */
  state(request: Request | FetchHeaders): Promise<LoginState>;
  /** The countries of the login, for the page that shows it. */
  readonly offer: LoginOffer;
}

/** The endpoint for the service's webhooks. It returns `undefined` for a request to any other path. */
export interface FetchWebhooks<Call extends FetchCall = OnlyRequest> {
  (request: Request, client?: Pick<FetchClient, "waitUntil">): Promise<Response | undefined>;
  /** The handler of a route that a host calls by method: `export const { POST } = webhooks(doorcode, { basePath }).handlers`. */
  readonly handlers: { readonly POST: HandlerOf<Call> };
}

/** The decision of a guard: the session of the request, or the response that refuses it. */
export type FetchGuardResult<Held = Session<RegisteredUser>> =
  | { readonly session: Held }
  | { readonly response: Response };

/** The app's own sessions, as `phoneLogin` and `requireLogin` take them. */
export type FetchSessions = AppSessions<FetchRequestContext, FetchReadContext>;

/**
 * Creates the endpoints of a login, for hosts that use `Request` and `Response`. Nothing is read of a request that is not their own.
 *
 * If the app's `session.current` or `session.end` throws, the endpoint and its handlers reject with the same error, and the host shows its
 * error page. A failing `onLogin` or `session.start` is 503 `login_unfinished`, and the same code finishes the login. Under Hono, send the
 * answer with `c.newResponse(answer.body, answer)`: a plain `Response` would lose the cookies that the app has set on its context.
 *
 * @throws TypeError if the kit was created without what the mount needs, or for a wrong option
 * @example
 * import type { Doorcode } from "@doorcode/core";
 * import { phoneLogin } from "@doorcode/fetch";
 * export function createHandler(doorcode: Doorcode) {
 *   const login = phoneLogin(doorcode, { basePath: "/login" });
 *   return async (request: Request, remoteAddress: string) =>
 *     (await login(request, { remoteAddress })) ?? new Response("The app's own page.");
 * }
 */
export function phoneLogin<Call extends FetchCall = OnlyRequest>(
  doorcode: Doorcode,
  { basePath, remoteAddress, waitUntil, ...options }: FetchLoginOptions<Call>,
): FetchLogin<Call> {
  const path = checkBasePath("phoneLogin", basePath);
  const host = { remoteAddress, waitUntil };
  parseOptions("phoneLogin", loginShape, host);
  const mount = mountLogin(doorcode, options, proxySetting);
  const serveLogin = serve(mount, path);
  const login = Object.assign(serveLogin, {
    state(source: Request | FetchHeaders) {
      const request = requestOf(source);
      return mount.readState(createFetchRequest(request), { request });
    },
    offer: mount.offer,
  });
  return Object.defineProperty(login, "handlers", {
    // A host that passes the address with each request takes no handlers, and needs no function for it.
    get() {
      if (!remoteAddress) throw new TypeError(remoteAddressFix);
      const handler = createHandler(serveLogin, host);
      return { GET: handler, POST: handler };
    },
  }) as FetchLogin<Call>;
}

/**
 * Creates the endpoint for the service's webhooks. It returns `undefined` for a request to any other path.
 *
 * @throws TypeError if the kit was created without webhooks, or for a wrong option
 * @example
 * import type { Doorcode } from "@doorcode/core";
 * import { webhooks } from "@doorcode/fetch";
 * declare const doorcode: Doorcode;
 * export const { POST } = webhooks(doorcode, { basePath: "/webhooks" }).handlers;
 */
export function webhooks(
  doorcode: Doorcode,
  options: FetchMountOptions & { readonly waitUntil?: undefined },
): FetchWebhooks<FetchCall>;
export function webhooks<Call extends FetchCall = OnlyRequest>(
  doorcode: Doorcode,
  options: FetchWebhookOptions<Call>,
): FetchWebhooks<Call>;
export function webhooks<Call extends FetchCall = OnlyRequest>(
  doorcode: Doorcode,
  { basePath, ...host }: FetchWebhookOptions<Call>,
): FetchWebhooks<Call> {
  const path = checkBasePath("webhooks", basePath);
  parseOptions("webhooks", webhookShape, host);
  const serveWebhook = serve(mountWebhooks(doorcode), path);
  return Object.assign(
    (request: Request, client: Pick<FetchClient, "waitUntil"> = {}) =>
      serveWebhook(request, { ...client, remoteAddress: undefined }),
    { handlers: { POST: createHandler<Call>(serveWebhook, host) } },
  ) as FetchWebhooks<Call>;
}

/**
 * Creates the guard of routes that need a login. It returns the session, or the response that refuses.
 *
 * The response is 401 `login_required` or a redirect to `loginPage`; 403 `proof_required` or one to `stepUpPage`; 503
 * `store_unavailable`. With `session`, the app's own sessions decide.
 *
 * @throws TypeError for a wrong option, if there are no sessions, and if both the kit and the options have some
 */
export function requireLogin(
  doorcode: Doorcode,
  options: AppSessionGuardOptions<FetchReadContext>,
): (request: Request) => Promise<FetchGuardResult<AppSession>>;
export function requireLogin(
  doorcode: Doorcode,
  options?: GuardOptions,
): (request: Request) => Promise<FetchGuardResult>;
export function requireLogin(
  doorcode: Doorcode,
  options?: GuardOptions | AppSessionGuardOptions<FetchReadContext>,
): (request: Request) => Promise<FetchGuardResult<AppSession>> {
  const guard = createLoginGuard(doorcode, options);
  return async (request) => {
    const result = await guard(createFetchRequest(request), { request });
    if ("session" in result) return result;
    return { response: createFetchResponse(result.refusal, request, new Headers()) };
  };
}

/**
 * Reads the session of a request; `undefined` if there is none. A page that a framework renders without a request has its headers:
 * `getSession(doorcode, { headers: await headers() })` in a server component of Next.js.
 *
 * @throws TypeError if the kit has no sessions
 * @throws DoorcodeError `store_unavailable`
 */
export function getSession(
  doorcode: Doorcode,
  request: Request | FetchHeaders,
): Promise<Session<RegisteredUser> | undefined> {
  return readSession(doorcode, createFetchRequest(requestOf(request)));
}
