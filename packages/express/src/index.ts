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
  type RegisteredUser,
  readSession,
  type Session,
} from "@doorcode/core/adapter";
import type { Request, RequestHandler } from "express";
import {
  type ExpressReadContext,
  type ExpressRequestContext,
  type LoginGuard,
  proxySetting,
  serve,
  serveGuard,
} from "./serve.ts";

export { type ExpressReadContext, type ExpressRequestContext, type LoginGuard, serve, sessionOf } from "./serve.ts";

/** The app's own sessions, as `phoneLogin` and `requireLogin` take them. */
export type ExpressSessions = AppSessions<ExpressRequestContext, ExpressReadContext>;

/** The endpoints of a login, as a request handler of Express. */
export interface ExpressLogin extends RequestHandler {
  /** Reads the state of a browser's login, for the page that shows it. @throws DoorcodeError `store_unavailable` */
  state(req: Request): Promise<LoginState>;
  /** The countries of the login, for the page that shows it. */
  readonly offer: LoginOffer;
}

/**
 * Creates the endpoints of a login: `app.use("/login", phoneLogin(doorcode))`. Every other request goes on unread.
 *
 * A failing `onLogin` or `session.start` is 503 `login_unfinished`, and the same code finishes the login. What the app's
 * other session functions throw goes to its error handler.
 *
 * @throws TypeError if the kit was created without what the mount needs
 */
export function phoneLogin(
  doorcode: Doorcode,
  options?: PhoneLoginOptions<ExpressRequestContext, ExpressReadContext>,
): ExpressLogin {
  const mount = mountLogin(doorcode, options, proxySetting);
  return Object.assign(serve(mount), {
    state: (req: Request) => mount.readState(req, { req }),
    offer: mount.offer,
  });
}

/**
 * Creates the endpoint for the service's webhooks. Mount it above every body parser: `app.use("/webhooks", webhooks(doorcode))`.
 *
 * @throws TypeError if the kit was created without webhooks
 */
export function webhooks(doorcode: Doorcode): RequestHandler {
  return serve(mountWebhooks(doorcode));
}

/**
 * Creates the guard of routes that need a login. It puts the session into `req.doorcode`, for the handlers behind it in the
 * same call: `app.get("/account", requireLogin(doorcode), handler)`. Behind `router.use(requireLogin(doorcode))`, read the
 * session with {@link sessionOf}.
 *
 * Any other request is answered 401 `login_required`, or redirected to `loginPage`; 403 `proof_required`, or redirected to
 * `stepUpPage`, when the proof is too old; 503 `store_unavailable`. What `loadUser` throws goes to the app's error handler. With
 * `session`, the app's own sessions decide.
 *
 * @throws TypeError for a wrong option, if there are no sessions, and if both the kit and the options have some
 */
export function requireLogin(
  doorcode: Doorcode,
  options: AppSessionGuardOptions<ExpressReadContext>,
): LoginGuard<AppSession>;
export function requireLogin(doorcode: Doorcode, options?: GuardOptions): LoginGuard;
export function requireLogin(
  doorcode: Doorcode,
  options?: GuardOptions | AppSessionGuardOptions<ExpressReadContext>,
): LoginGuard<AppSession> {
  return serveGuard(createLoginGuard(doorcode, options));
}

/**
 * Reads the session of a request, for routes that are open to all; `undefined` if there is none.
 *
 * @throws TypeError if the kit has no sessions
 * @throws DoorcodeError `store_unavailable`
 */
export function getSession(doorcode: Doorcode, req: Request): Promise<Session<RegisteredUser> | undefined> {
  return readSession(doorcode, req);
}
