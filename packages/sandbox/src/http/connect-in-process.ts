import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { buildConnector } from "undici";
import { ConnectionCut } from "./connection-cut.ts";

/** What answers requests in this process. */
export interface FetchTarget {
  fetch(request: Request): Promise<Response> | Response;
}

/** Creates undici's way to connections in memory: at their far end Node's own HTTP server answers through `fetch`. */
export function connectInProcess(target: FetchTarget): buildConnector.connector {
  const nearEnds = new WeakMap<Duplex, Duplex>();
  const server = createServer(answerWith(target, (far, error) => nearEnds.get(far)?.destroy(error)));
  return (_, callback) => {
    const [near, far] = duplexPair();
    nearEnds.set(far, near);
    serve(server, near, far);
    // undici expects the connection after its call has returned. Of a socket it uses what every duplex stream has.
    process.nextTick(() => callback(null, near as Socket));
  };
}

/** Node's HTTP server takes any duplex stream. That an end takes the other with it is not so on every Node by itself. */
function serve(server: Server, near: Duplex, far: Duplex): void {
  near.once("close", () => far.destroy());
  far.once("close", () => near.destroy());
  server.emit("connection", far);
}

type Break = (far: Duplex, error: Error | undefined) => void;

function answerWith(target: FetchTarget, breakOff: Break): ReturnType<typeof getRequestListener> {
  return getRequestListener(
    async (request, { incoming }) => {
      try {
        return await target.fetch(request);
      } catch (error) {
        breakOff(incoming.socket, reasonOf(error));
        throw error;
      }
    },
    // The connection is gone: there is nothing to answer with.
    { overrideGlobalObjects: false, errorHandler: () => {} },
  );
}

/** A cut gives no reason: undici then reports what it reports when a peer goes away. */
function reasonOf(thrown: unknown): Error | undefined {
  if (thrown instanceof ConnectionCut) return undefined;
  return thrown instanceof Error ? thrown : new Error("fetch failed with what is no Error.", { cause: thrown });
}
