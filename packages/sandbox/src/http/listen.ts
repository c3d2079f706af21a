import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Refusal, SandboxError } from "../primitives/errors.ts";
import { ConnectionCut, refusalResponse } from "./refuse.ts";

interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves on one network interface.
 *
 * @param port - 0 for any free port.
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
    {
      overrideGlobalObjects: false,
      // For a request whose request line or Host header is not part of a valid URL.
      errorHandler: () => refusalResponse(new Refusal("request.malformed", "The request is not valid HTTP.")),
    },
  );
  const server = createServer(listener).listen(port, host);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw listenError(error, port, host);
  });
  // A server on a port always has such an address.
  const { port: listeningPort } = server.address() as AddressInfo;
  return { url: `http://${hostnameOf(host)}:${listeningPort}`, close: () => close(server) };
}

/** Returns the name of an interface for a URL on this machine. All interfaces together are reached over loopback. */
export function hostnameOf(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === "EADDRINUSE") return new SandboxError("port_taken", `Port ${port} is already in use.`);
  if (error.code === "EACCES") return new SandboxError("port_taken", `You may not use port ${port}.`);
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new SandboxError("host_unusable", `${host} is not an address of this machine.`, { cause: error });
  }
  return error;
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}
