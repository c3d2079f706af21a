import {
  type AppSession,
  type AppSessionGuardOptions,
  type AppSessions,
  createLoginGuard,
  type Doorcode,
  type GuardOptions,
  type LoginOffer,
  type LoginState,
  mountLogin,
  mountWebhooks,
  type PhoneLoginOptions,
  type ProxySetting,
  type RegisteredUser,
  readSession,
  type Session,
} from "./adapter.ts";
import { checkBasePath } from "./fetch/base-path.ts";
import { createFetchRequest } from "./fetch/request.ts";
import { createFetchResponse } from "./fetch/response.ts";
import { type FetchClient, type FetchReadContext, type FetchRequestContext, serve } from "./fetch/serve.ts";

export type { FetchClient, FetchReadContext, FetchRequestContext } from "./fetch/serve.ts";

/** Options of {@link webhooks}. */
export interface FetchMountOptions {
  /** The path of the mount, such as `/login`; `/` for the root. */
  readonly basePath: string;
}

/** Options of {@link phoneLogin}. */
export interface FetchLoginOptions
  extends FetchMountOptions,
    PhoneLoginOptions<FetchRequestContext, FetchReadContext> {}

const proxySetting: ProxySetting<unknown> = {
  fix:
    "Pass the client's address to the mount, as in login(request, { remoteAddress }): as your host gives it behind its own " +
    "proxy, or from the header that your proxy sets itself.",
  trustsEverybody: () => false,
};

/** The endpoints of a login. Call it with each request; it returns `undefined` for a request that is not its own. */
export interface FetchLogin {
  (request: Request, client: FetchClient): Promise<Response | undefined>;
  /** Reads the state of a browser's login, for the page that shows it. @throws DoorcodeError `store_unavailable` */
  state(request: Request): Promise<LoginState>;
  /** The countries and channels of the login, for the page that shows it. */
  readonly offer: LoginOffer;
}

/** The decision of a guard: the session of the request, or the response that refuses it. */
export type FetchAdmission<Held = Session<RegisteredUser>> =
  | { readonly session: Held }
  | { readonly response: Response };

/** The sessions of an app of its own, as `phoneLogin` and `requireLogin` take them. */
export type FetchSessions = AppSessions<FetchRequestContext, FetchReadContext>;

/**
 * Creates the endpoints of a login, for hosts that use `Request` and `Response`. Nothing is read of a request that is not
 * their own.
 *
 * If the app's `session.current` or `session.end` throws, the endpoint rejects with the same error. A failing `onLogin`
 * or `session.start` is 503 `login_unfinished`, and the same code finishes the login. Under Hono, send the answer with
 * `c.newResponse(answer.body, answer)`: a plain `Response` would lose the cookies that the app has set on its context.
 *
 * @throws TypeError if the kit was created without what the mount needs, or for a wrong `basePath`
 * @example
 * import type { Doorcode } from "@doorcode/core";
 * import { phoneLogin } from "@doorcode/core/fetch";
 * export function createHandler(doorcode: Doorcode) {
 *   const login = phoneLogin(doorcode, { basePath: "/login" });
 *   return async (request: Request, remoteAddress: string) =>
 *     (await login(request, { remoteAddress })) ?? new Response("The app's own page.");
 * }
 */
export function phoneLogin(doorcode: Doorcode, { basePath, ...options }: FetchLoginOptions): FetchLogin {
  const path = checkBasePath("phoneLogin", basePath);
  const mount = mountLogin(doorcode, options, proxySetting);
  return Object.assign(serve(mount, path), {
    state: (request: Request) => mount.readState(createFetchRequest(request), { request }),
    offer: mount.offer,
  });
}

/**
 * Creates the endpoint for the service's webhooks. It returns `undefined` for a request to any other path.
 *
 * @throws TypeError if the kit was created without webhooks, or for a wrong `basePath`
 */
export function webhooks(
  doorcode: Doorcode,
  { basePath }: FetchMountOptions,
): (request: Request) => Promise<Response | undefined> {
  const path = checkBasePath("webhooks", basePath);
  const handle = serve(mountWebhooks(doorcode), path);
  return (request) => handle(request, { remoteAddress: undefined });
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
): (request: Request) => Promise<FetchAdmission<AppSession>>;
export function requireLogin(doorcode: Doorcode, options?: GuardOptions): (request: Request) => Promise<FetchAdmission>;
export function requireLogin(
  doorcode: Doorcode,
  options?: GuardOptions | AppSessionGuardOptions<FetchReadContext>,
): (request: Request) => Promise<FetchAdmission<AppSession>> {
  const guard = createLoginGuard(doorcode, options);
  return async (request) => {
    const admission = await guard(createFetchRequest(request), { request });
    if ("session" in admission) return admission;
    return { response: createFetchResponse(admission.refusal, request, new Headers()) };
  };
}

/**
 * Reads the session of a request, for routes that are open to all; `undefined` if there is none.
 *
 * @throws TypeError if the kit has no sessions of its own
 * @throws DoorcodeError `store_unavailable`
 */
export function getSession(doorcode: Doorcode, request: Request): Promise<Session<RegisteredUser> | undefined> {
  return readSession(doorcode, createFetchRequest(request));
}
