import {
  type Admission,
  createLoginGuard,
  type Doorcode,
  type GuardOptions,
  type Login,
  type LoginState,
  mountLogin,
  mountWebhooks,
  type PhoneLoginOptions,
  type Purpose,
  type RegisteredUser,
  readLogin,
  readMountedLogin,
} from "./adapter.ts";
import { checkBasePath } from "./fetch/base-path.ts";
import { createFetchRequest } from "./fetch/request.ts";
import { createFetchResponse } from "./fetch/response.ts";
import { type FetchClient, type FetchNative, type FetchReading, serve } from "./fetch/serve.ts";

export type { FetchClient, FetchNative, FetchReading } from "./fetch/serve.ts";

/** Where a mount begins. */
export interface FetchMountOptions {
  /** The path it is mounted at, such as `/login`; `/` for the root. */
  readonly basePath: string;
}

/** Options of {@link phoneLogin}. */
export interface FetchLoginOptions extends FetchMountOptions, PhoneLoginOptions<FetchNative, FetchReading> {}

/** What a guard decided: who is logged in, or the answer to send. */
export type FetchAdmission = { readonly login: Login<RegisteredUser> } | { readonly response: Response };

/**
 * Serves the endpoints of a login, for hosts that speak `Request` and `Response`: answers `undefined` for a request that
 * is not its own, of which nothing was read.
 *
 * Rejects with what the app's `session.current` and `session.end` throw; a failing `onLogin` or `session.start` is 503
 * `login_unfinished`, which the same code finishes. Under Hono, send the answer with `c.newResponse(answer.body,
 * answer)`: a bare `Response` would lose the cookies that the app set on its context.
 *
 * @throws TypeError when the kit was created without what the mount needs, or for a wrong `basePath`
 * @example
 * import type { Doorcode } from "@doorcode/core";
 * import { phoneLogin } from "@doorcode/core/fetch";
 * export function createHandler(doorcode: Doorcode) {
 *   const login = phoneLogin(doorcode, { basePath: "/login" });
 *   return async (request: Request, remoteAddress: string) =>
 *     (await login(request, { remoteAddress })) ?? new Response("The app's own page.");
 * }
 */
export function phoneLogin(
  doorcode: Doorcode,
  { basePath, ...options }: FetchLoginOptions,
): (request: Request, client: FetchClient) => Promise<Response | undefined> {
  const path = checkBasePath("phoneLogin", basePath);
  return serve(mountLogin(doorcode, options), path);
}

/**
 * Serves the endpoint for the service's webhooks: answers `undefined` for a request to any other path.
 *
 * @throws TypeError when the kit was created without webhooks, or for a wrong `basePath`
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
 * Makes the guard of routes that need a login: it answers the login, or the response that refuses.
 *
 * The response is 401 `login_required` or leads to `loginPage`; 403 `proof_required`; 503 `store_unavailable`.
 *
 * @throws TypeError for a wrong option, and when the kit has no sessions of its own
 */
export function requireLogin(
  doorcode: Doorcode,
  options?: GuardOptions,
): (request: Request) => Promise<FetchAdmission> {
  const admit = createLoginGuard(doorcode, options);
  return async (request) => {
    const admission: Admission<RegisteredUser> = await admit(createFetchRequest(request));
    if ("login" in admission) return admission;
    return { response: createFetchResponse(admission.refusal, request, new Headers()) };
  };
}

/**
 * Reads where the login of a browser stands, to render its page.
 *
 * @throws TypeError when no login of this purpose is mounted
 */
export function loginState(
  doorcode: Doorcode,
  request: Request,
  { purpose }: { readonly purpose?: Purpose } = {},
): Promise<LoginState> {
  return readMountedLogin(doorcode, createFetchRequest(request), { request }, purpose);
}

/**
 * Answers who is logged in, for routes that are open to all; `undefined` when nobody is.
 *
 * @throws TypeError when the kit has no sessions of its own
 */
export function getLogin(doorcode: Doorcode, request: Request): Promise<Login<RegisteredUser> | undefined> {
  return readLogin(doorcode, createFetchRequest(request));
}
