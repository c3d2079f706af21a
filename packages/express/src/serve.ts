import type { Mount, ProxySetting } from "@doorcode/core/adapter";
import { createNodeRequest, sendNodeResponse, trustsEverybody } from "@doorcode/core/node";
import type { Request, RequestHandler, Response } from "express";

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

/** Serves a mount. An unexpected error rejects, and Express passes it to the app's error handler. */
export function serve(mount: Mount<ExpressRequestContext>): RequestHandler {
  return async (req, res, next) => {
    const request = createNodeRequest({ request: req, response: res, host: req, url: req.url });
    const answer = await mount.handle(request, { req, res });
    if (!answer) return next();
    sendNodeResponse(res, answer);
  };
}
