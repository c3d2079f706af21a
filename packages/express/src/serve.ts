import type { Mount } from "@doorcode/core/adapter";
import { createNodeRequest, sendNodeResponse } from "@doorcode/core/node";
import type { Request, RequestHandler, Response } from "express";

/** The argument of the app's own `session.current`. */
export interface ExpressReadContext {
  readonly req: Request;
}

/** The argument of the app's own `session.start` and `session.end`. */
export interface ExpressRequestContext extends ExpressReadContext {
  readonly res: Response;
}

/** Serves a mount. An unexpected error rejects, and Express passes it to the app's error handler. */
export function serve(mount: Mount<ExpressRequestContext>): RequestHandler {
  return async (req, res, next) => {
    const request = createNodeRequest({ request: req, response: res, host: req, url: req.url });
    const answer = await mount.handle(request, { req, res });
    if (!answer) return next();
    await sendNodeResponse(res, answer);
  };
}
