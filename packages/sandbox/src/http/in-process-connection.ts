import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { buildConnector } from "undici";
import { ConnectionCut } from "./refuse.ts";

/** An object that answers requests in this process. */
export interface FetchTarget {
  fetch(request: Request): Promise<Response> | Response;
}

/** Creates an undici connector for connections in memory. At their other end Node's HTTP server answers with `fetch`. */
export function connectInProcess(target: FetchTarget): buildConnector.connector {
  const clientEnds = new WeakMap<Duplex, Duplex>();
  const server = createServer(answerWith(target, (serverEnd, error) => clientEnds.get(serverEnd)?.destroy(error)));
  return (_, callback) => {
    const [clientEnd, serverEnd] = duplexPair();
    clientEnds.set(serverEnd, clientEnd);
    serve(server, clientEnd, serverEnd);
    // undici expects the connection after its call has returned. It uses only those parts of a socket that every duplex
    // stream has.
    process.nextTick(() => callback(null, clientEnd as Socket));
  };
}

/** Node's HTTP server accepts any duplex stream. Not every version of Node closes the other end of a pair by itself. */
function serve(server: Server, clientEnd: Duplex, serverEnd: Duplex): void {
  clientEnd.once("close", () => serverEnd.destroy());
  serverEnd.once("close", () => clientEnd.destroy());
  server.emit("connection", serverEnd);
}

type Break = (serverEnd: Duplex, error: Error | undefined) => void;

function answerWith(target: FetchTarget, breakConnection: Break): ReturnType<typeof getRequestListener> {
  return getRequestListener(
    async (request, { incoming }) => {
      try {
        return await target.fetch(request);
      } catch (error) {
        breakConnection(incoming.socket, reasonOf(error));
        throw error;
      }
    },
    // The connection is closed, so there is nothing to answer on.
    { overrideGlobalObjects: false, errorHandler: () => {} },
  );
}

/** A cut has no reason. undici then reports the same error as for a server that closes the connection. */
function reasonOf(thrown: unknown): Error | undefined {
  if (thrown instanceof ConnectionCut) return undefined;
  return thrown instanceof Error
    ? thrown
    : new Error("fetch failed with a value that is not an Error.", { cause: thrown });
}
