import fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import type { ServedApp } from "./host.ts";

/** Listens with an app that has the error handler of Fastify. */
export async function serveFastify(app: FastifyInstance): Promise<ServedApp> {
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    url,
    faults: [],
    async close() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

/** An app whose error handler stands before its plugins, which inherit it. */
export function createFastifyApp(options: FastifyServerOptions = {}): {
  readonly app: FastifyInstance;
  serve(): Promise<ServedApp>;
} {
  const faults: unknown[] = [];
  const app = fastify(options);
  app.setErrorHandler(async (error, _request, reply) => {
    faults.push(error);
    return reply.code(500).send("the app's error page");
  });

  return {
    app,
    serve: async () => ({ ...(await serveFastify(app)), faults }),
  };
}
