import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Refusal } from "../refusal.ts";
import { SandboxError } from "../sandbox-error.ts";
import { refusalRecord } from "../wire/refusals.ts";
import { ConnectionCut } from "./connection-cut.ts";

/** A server that listens. */
export interface Listening {
  readonly url: string;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/**
 * Serves on one interface and on no other.
 *
 * @param host - address or name of the interface.
 * @throws SandboxError `port_taken`, `host_unusable`
 */
export async function listen(
  fetch: (request: Request) => Promise<Response>,
  port: number,
  host: string,
): Promise<Listening> {
  const listener = getRequestListener(
    (request, { incoming }) =>
      fetch(request).catch((error: unknown) => {
        if (!(error instanceof ConnectionCut)) throw error;
        incoming.socket.destroy();
        return new Response();
      }),
    { overrideGlobalObjects: false, errorHandler: unreadable },
  );
  const server = createServer(listener);
  await listening(server, port, host);
  return { url: `http://${hostnameOf(host)}:${portOf(server)}`, close: () => close(server) };
}

/** How this machine calls the interface in a URL. Every interface at once is none that can be called. */
export function hostnameOf(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** A request line or a Host header of which no URL can be made. */
function unreadable(): Response {
  const refusal = new Refusal("request.malformed", "The request cannot be read.");
  return Response.json(refusalRecord(refusal), { status: refusal.status });
}

function listening(server: Server, port: number, host: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (error: NodeJS.ErrnoException) => {
    reject(refusalToListen(error, port, host));
  });
  server.listen(port, host, resolve);
  return promise;
}

function refusalToListen(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === "EADDRINUSE") return new SandboxError("port_taken", `Port ${port} is taken.`);
  if (error.code === "EACCES") return new SandboxError("port_taken", `Port ${port} may not be used by this user.`);
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new SandboxError("host_unusable", `${host} is no address of this machine.`, { cause: error });
  }
  return error;
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
