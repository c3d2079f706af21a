import type { Mount } from "@doorcode/core/adapter";
import { createNodeRequest, sendNodeResponse } from "@doorcode/core/node";
import type { Request, RequestHandler, Response } from "express";

/** What the app's own sessions are given to read. */
export interface ExpressReading {
  readonly req: Request;
}

/** What the app's own sessions are given to start and end with. */
export interface ExpressNative extends ExpressReading {
  readonly res: Response;
}

/** Makes the endpoints of a mount; a fault of theirs rejects, which Express takes to the app's error handler. */
export function serve(mount: Mount<ExpressNative>): RequestHandler {
  return async (req, res, next) => {
    const request = createNodeRequest({ request: req, response: res, host: req, url: req.url });
    const answer = await mount.handle(request, { req, res });
    if (!answer) return next();
    await sendNodeResponse(res, answer);
  };
}
