import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Express } from "express";
import type { FastifyInstance } from "fastify";

/** An example that listens on this machine only. */
export interface RunningExample {
  readonly url: string;
  close(): Promise<void>;
}

export async function serveExpress(app: Express, port: number): Promise<RunningExample> {
  const server = await new Promise<Server>((resolve, reject) => {
    const listening = app.listen(port, "127.0.0.1", (error) => (error ? reject(error) : resolve(listening)));
  });
  return running(server, () => new Promise((resolve) => server.close(() => resolve())));
}

export async function serveFastify(app: FastifyInstance, port: number): Promise<RunningExample> {
  await app.listen({ port, host: "127.0.0.1" });
  return running(app.server, () => app.close());
}

function running(server: Server, close: () => Promise<void>): RunningExample {
  // One example after the other takes the same port: a connection of the last must not be kept for the next.
  server.maxRequestsPerSocket = 1;
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return close();
    },
  };
}
