import type { AddressInfo } from "node:net";
import type { Express } from "express";
import type { FastifyInstance } from "fastify";

/** An example that listens. */
export interface RunningExample {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens with an Express app on this machine only. */
export async function serveExpress(app: Express, port: number): Promise<RunningExample> {
  const server = await new Promise<ReturnType<Express["listen"]>>((resolve, reject) => {
    const listening = app.listen(port, "127.0.0.1", (error) => (error ? reject(error) : resolve(listening)));
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Listens with a Fastify app on this machine only. */
export async function serveFastify(app: FastifyInstance, port: number): Promise<RunningExample> {
  await app.listen({ port, host: "127.0.0.1" });
  return {
    url: `http://localhost:${(app.server.address() as AddressInfo).port}`,
    async close() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
