import { type ServerType, serve } from "@hono/node-server";
import type { Context, Hono, Next } from "hono";
import type { ServedApp } from "./host.ts";

/** Gives an answer of the kit to Hono, which adds the headers and cookies that the app set on its context. */
export function relay(c: Context, next: Next, answer: Response | undefined): Response | Promise<void> {
  return answer ? c.newResponse(answer.body, answer) : next();
}

/** Gives an app its error handler, and listens. */
export async function serveHono(app: Hono): Promise<ServedApp> {
  const faults: unknown[] = [];
  app.onError((error, c) => {
    faults.push(error);
    return c.text("the app's error page", 500);
  });
  const { promise: listening, resolve } = Promise.withResolvers<number>();
  const server: ServerType = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => resolve(port));
  return {
    url: `http://127.0.0.1:${await listening}`,
    faults,
    async close() {
      if ("closeAllConnections" in server) server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
