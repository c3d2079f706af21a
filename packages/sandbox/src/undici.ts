import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { Agent, type buildConnector, type Dispatcher } from "undici";
import { ConnectionCut } from "./http/refuse.ts";

/** An object that answers requests in this process. */
export interface FetchTarget {
  fetch(request: Request): Promise<Response> | Response;
}

/**
 * Creates an undici dispatcher whose connections all end at the sandbox, without a port. Requests must name the `url` of the
 * sandbox, or this machine.
 *
 * It is an undici agent with connections in memory. Bodies, aborts, time-outs, `close` and `destroy` work as over a real
 * connection. When `fetch` rejects with ConnectionCut, the request fails with `UND_ERR_SOCKET`; any other error is the error
 * of the request. The sandbox sees `http` URLs with the host of the request. An open connection does not keep the process
 * alive. The dispatcher is for undici 8 and its `fetch`. Node's global `fetch` has its own undici and cannot use it.
 *
 * @param sandbox - any object with a `fetch`. It is called once for each request, with a `signal` that aborts when the
 * caller disconnects.
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * import { createDispatcher } from "@doorcode/sandbox/undici";
 * declare const sandbox: { fetch(request: Request): Promise<Response> };
 * const service = { baseUrl: "http://localhost/v1", apiKey: "sandbox-api-key", dispatcher: createDispatcher(sandbox) };
 * const doorcode = createDoorcode({ service });
 */
export function createDispatcher(sandbox: FetchTarget): Dispatcher {
  return new Agent({ connect: connectInProcess(sandbox) });
}

/** Creates an undici connector for connections in memory. At their other end Node's HTTP server answers with `fetch`. */
function connectInProcess(target: FetchTarget): buildConnector.connector {
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
