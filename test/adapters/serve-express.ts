import { createServer } from "node:http";
import type { ErrorRequestHandler, Express } from "express";
import { listen } from "../support/listen.ts";
import type { ServedApp } from "./host.ts";

/** Puts the error handler below an app, and listens. */
export async function serveExpress(app: Express): Promise<ServedApp> {
  const faults: unknown[] = [];
  const toErrorPage: ErrorRequestHandler = (error, _req, res, _next) => {
    faults.push(error);
    res.status(500).send("the app's error page");
  };
  app.use(toErrorPage);
  const server = createServer(app);
  const { url, close } = await listen(server);
  return { url, faults, close };
}
