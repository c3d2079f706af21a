import type { IncomingMessage, ServerResponse } from "node:http";
import type { RegisteredUser, Session } from "@doorcode/core/adapter";
import type { NextFunction, Request, Response } from "express";

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
