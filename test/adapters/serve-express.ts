import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ErrorRequestHandler, Express } from "express";
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
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
