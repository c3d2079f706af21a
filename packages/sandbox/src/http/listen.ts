import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { SandboxError } from "../sandbox-error.ts";
import { refusalBody } from "./refuse.ts";

/** A server that listens. */
export interface Listening {
  readonly url: string;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/**
 * Serves on the loopback interface and on no other.
 *
 * @throws SandboxError `port_taken`
 */
export async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  port: number,
): Promise<Listening> {
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false, errorHandler: unreadable });
  const server = createServer(listener);
  await listening(server, port);
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => close(server) };
}

/** A request line or a Host header of which no URL can be made. */
function unreadable(): Response {
  return Response.json(refusalBody("request.malformed", "The request cannot be read."), { status: 400 });
}

function listening(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (error: NodeJS.ErrnoException) => {
    reject(error.code === "EADDRINUSE" ? new SandboxError("port_taken", `Port ${port} is taken.`) : error);
  });
  server.listen(port, "127.0.0.1", resolve);
  return promise;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server does not listen on a port.");
  return address.port;
}

function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}
