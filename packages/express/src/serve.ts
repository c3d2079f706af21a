import {
  createNodeRequest,
  type Mount,
  type ProxySetting,
  sendNodeResponse,
  trustsEverybody,
} from "@doorcode/core/adapter";
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

/** Serves a mount. */
export function serve(mount: Mount<ExpressRequestContext>): RequestHandler {
  return createHandler((req, res, next) => {
    const request = createNodeRequest({ request: req, response: res, host: req, url: req.url, basePath: req.baseUrl });
    return mount.handle(request, { req, res }).then((answer) => (answer ? sendNodeResponse(res, answer) : next()));
  });
}

/**
 * Creates a handler whose rejections reach the app's error handler. Express 5 would pass them on itself; Express 4 would not,
 * and an unhandled rejection ends the process.
 */
export function createHandler(handle: (...exchange: Parameters<RequestHandler>) => Promise<void>): RequestHandler {
  return (req, res, next) => void handle(req, res, next).catch((reason: unknown) => next(errorOf(reason)));
}

/** `next()` and `next("route")` are no errors: they would let a request through the guard that has failed. */
function errorOf(reason: unknown): unknown {
  if (typeof reason === "object" && reason !== null) return reason;
  return new Error("A function of the app was rejected with a value that is no Error.", { cause: reason });
}
