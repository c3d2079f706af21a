import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type AppSession,
  createNodeRequest,
  type GuardedRequest,
  type GuardResult,
  type Mount,
  type ProxySetting,
  type RegisteredUser,
  type Session,
  sendNodeResponse,
  trustsEverybody,
} from "@doorcode/core/adapter";
import type { NextFunction, Request, RequestHandler, Response } from "express";

/** The argument of the app's own `session.current`. */
export interface ExpressReadContext {
  readonly req: Request;
}

/** The argument of the app's own `session.start` and `session.end`. */
export interface ExpressRequestContext extends ExpressReadContext {
  readonly res: Response;
}

/** The setting `trust proxy`. */
export const proxySetting: ProxySetting<ExpressRequestContext> = {
  fix:
    'Set trust proxy to the address of your proxy, as in app.set("trust proxy", "10.0.0.5"), and let the proxy set X-Forwarded-For ' +
    "to its client's address.",
  trustsEverybody: ({ req }) =>
    trustsEverybody(({ socket, headers }) => {
      const forwarded: Request = Object.create(req, { socket: { value: socket }, headers: { value: headers } });
      return forwarded.ip;
    }),
};

/** Serves a mount. */
export function serve(mount: Mount<ExpressRequestContext>): RequestHandler {
  return createHandler((req, res, next) => {
    const request = createNodeRequest({ request: req, response: res, host: req, url: req.url, basePath: req.baseUrl });
    return mount.handle(request, { req, res }).then((answer) => (answer ? sendNodeResponse(res, answer) : next()));
  });
}

/** Serves a guard: puts the session into the request, or answers in place of the route. */
export function serveGuard(
  guard: (request: GuardedRequest, context: ExpressReadContext) => Promise<GuardResult<AppSession>>,
): LoginGuard<AppSession> {
  return createHandler((req, res, next) => {
    const request = createNodeRequest({ request: req, response: res, host: req, url: req.originalUrl });
    return guard(request, { req }).then((result) => {
      if ("refusal" in result) return sendNodeResponse(res, result.refusal);
      (req as { doorcode: unknown }).doorcode = result.session;
      next();
    });
  }) as LoginGuard<AppSession>;
}

/**
 * Creates a handler whose rejections reach the app's error handler: Express 4 does not pass them on, and an unhandled one ends the process.
 */
function createHandler(handle: (...exchange: Parameters<RequestHandler>) => Promise<void>): RequestHandler {
  return (req, res, next) => void handle(req, res, next).catch((reason: unknown) => next(errorOf(reason)));
}

/** `next()` and `next("route")` are no errors: they would let a request through the guard that has failed. */
function errorOf(reason: unknown): unknown {
  if (typeof reason === "object" && reason !== null) return reason;
  return new Error("A function of the app was rejected with a value that is no Error.", { cause: reason });
}

/** Marks the types of a guarded route. It exists in types only. */
declare const loggedIn: unique symbol;

/** The type of `res.locals` behind a guard. Of all that the handlers of a route share, only this type is free for a mark. */
type LoggedInLocals<Held> = Response["locals"] & { readonly [loggedIn]: Held };

declare global {
  namespace Express {
    interface Request {
      /**
       * The session of the request, in the handlers behind `requireLogin` in the same call: `app.get("/account",
       * requireLogin(doorcode), handler)`. Anywhere else its type is `unknown`: behind `router.use(requireLogin(doorcode))`
       * call `sessionOf(req)`, and on routes that are open to all `await getSession(doorcode, req)`.
       */
      readonly doorcode: this extends { readonly res?: { readonly locals: LoggedInLocals<infer Held> } | undefined }
        ? Held
        : unknown;
    }
  }
}

/**
 * The guard of routes that need a login. It is a request handler like any other, and types `req.doorcode` behind it: with the kit's
 * session, or with what `session.current` of the app returned.
 */
export interface LoginGuard<Held = Session<RegisteredUser>> {
  (req: Request, res: Response, next: NextFunction): void;
  // Express infers the types of a route from the last signature. It names no path parameters, so the route keeps its own.
  (req: IncomingMessage, res: ServerResponse & { locals: LoggedInLocals<Held> }, next: NextFunction): void;
}

/**
 * Returns the session that `requireLogin` has put into the request, for handlers whose `req.doorcode` has no type: those
 * behind `router.use(requireLogin(doorcode))`, and functions of your own.
 *
 * @throws TypeError if no guard has admitted the request
 */
export function sessionOf(req: Express.Request): Session<RegisteredUser> {
  const { doorcode } = req as { readonly doorcode?: Session<RegisteredUser> };
  if (doorcode) return doorcode;
  throw new TypeError(
    "sessionOf: no guard has admitted this request. Put requireLogin(doorcode) in front of the route.",
  );
}
