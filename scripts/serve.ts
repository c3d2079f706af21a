import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Express } from "express";
import type { FastifyInstance } from "fastify";

/** A running example, which listens on this machine only. */
export interface RunningExample {
  /** The URL of the example. */
  readonly url: string;
  /** Closes every connection and stops the example. */
  close(): Promise<void>;
}

/** Serves an Express app on a port. */
export async function serveExpress(app: Express, port: number): Promise<RunningExample> {
  const server = await new Promise<Server>((resolve, reject) => {
    const listening = app.listen(port, "127.0.0.1", (error) => (error ? reject(error) : resolve(listening)));
  });
  return running(server, () => new Promise((resolve) => server.close(() => resolve())));
}

/** Serves a Fastify app on a port. */
export async function serveFastify(app: FastifyInstance, port: number): Promise<RunningExample> {
  await app.listen({ port, host: "127.0.0.1" });
  return running(app.server, () => app.close());
}

function running(server: Server, close: () => Promise<void>): RunningExample {
  // The examples use the same port one after another: a client must not keep a connection to the previous one.
  server.maxRequestsPerSocket = 1;
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return close();
    },
  };
}
