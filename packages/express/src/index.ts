import {
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
} from "@doorcode/core/adapter";
import { createNodeRequest, sendNodeResponse } from "@doorcode/core/node";
import type { Request, RequestHandler } from "express";
import { type ExpressNative, type ExpressReading, serve } from "./serve.ts";

export type { ExpressNative, ExpressReading } from "./serve.ts";

declare global {
  namespace Express {
    interface Request {
      /** Who is logged in, behind `requireLogin`. */
      doorcode: Login<RegisteredUser>;
    }
  }
}

/**
 * Serves the endpoints of a login: `app.use("/login", phoneLogin(doorcode))`. Every other request goes on unread.
 *
 * A failing `onLogin` or `session.start` is 503 `login_unfinished`, which the same code finishes; what the app's other
 * session verbs throw goes to its error handler.
 *
 * @throws TypeError when the kit was created without what the mount needs
 */
export function phoneLogin(
  doorcode: Doorcode,
  options?: PhoneLoginOptions<ExpressNative, ExpressReading>,
): RequestHandler {
  return serve(mountLogin(doorcode, options));
}

/**
 * Serves the endpoint for the service's webhooks, above every body parser: `app.use("/webhooks", webhooks(doorcode))`.
 *
 * @throws TypeError when the kit was created without webhooks
 */
export function webhooks(doorcode: Doorcode): RequestHandler {
  return serve(mountWebhooks(doorcode));
}

/**
 * Lets nobody pass who is not logged in, and tells the route who is in `req.doorcode`.
 *
 * Everyone else is answered 401 `login_required`, or led to `loginPage`; 403 `proof_required` when the proof is too old;
 * 503 `store_unavailable`. What `loadUser` throws goes to the app's error handler.
 *
 * @throws TypeError for a wrong option, and when the kit has no sessions of its own
 */
export function requireLogin(doorcode: Doorcode, options?: GuardOptions): RequestHandler {
  const admit = createLoginGuard(doorcode, options);
  return async (req, res, next) => {
    const admission = await admit(createNodeRequest({ request: req, response: res, host: req, url: req.originalUrl }));
    if ("refusal" in admission) return sendNodeResponse(res, admission.refusal);
    req.doorcode = admission.login;
    next();
  };
}

/**
 * Reads where the login of a browser stands, to render its page.
 *
 * @throws TypeError when no login of this purpose is mounted
 * @throws DoorcodeError `store_unavailable`
 */
export function loginState(
  doorcode: Doorcode,
  req: Request,
  { purpose }: { readonly purpose?: Purpose } = {},
): Promise<LoginState> {
  return readMountedLogin(doorcode, req, { req }, purpose);
}

/**
 * Answers who is logged in, for routes that are open to all; `undefined` when nobody is.
 *
 * @throws TypeError when the kit has no sessions of its own
 * @throws DoorcodeError `store_unavailable`
 */
export function getLogin(doorcode: Doorcode, req: Request): Promise<Login<RegisteredUser> | undefined> {
  return readLogin(doorcode, req);
}
