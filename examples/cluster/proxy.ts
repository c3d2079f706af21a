import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";

/** A process behind the proxy. */
export interface Target {
  /** The name of the process. */
  readonly name: string;
  /** The port on which the process listens. */
  readonly port: number;
}

/** A request that a process has answered. */
export interface ForwardedRequest {
  /** The name of the process. */
  readonly by: string;
  /** The HTTP method. */
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The status of the answer. */
  readonly status: number;
}

/**
 * Creates a stand-in for nginx, HAProxy or a cloud's load balancer. It forwards requests to the targets in turn, and
 * skips a target that accepts no connection. It is made for this example only.
 *
 * @param targets - returns the current targets; called for each request, because processes end and start.
 * @param onForwarded - gets each answered request.
 */
export function createProxy(
  targets: () => readonly Target[],
  onForwarded: (request: ForwardedRequest) => void,
): Server {
  // Webhooks are counted separately, so that a visitor's requests alternate between the processes despite the webhooks.
  const counts = { webhooks: 0, pages: 0 };

  return createServer(async (incoming, answer) => {
    const list = targets();
    const count = counts[incoming.url?.startsWith("/webhooks") ? "webhooks" : "pages"]++;
    const inTurn = list.map((_target, index) => list[(count + index) % list.length]);
    for (const target of inTurn) {
      const socket = target && (await connectTo(target.port));
      if (socket) return forward(incoming, answer, { socket, name: target.name, onForwarded });
    }
    answer.writeHead(503, { "retry-after": "1" }).end();
  });
}

/** Connects to a target. Nothing of the request is read before, so another target can still get it. */
function connectTo(port: number): Promise<Socket | undefined> {
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
  const socket = connect(port, "127.0.0.1", () => resolve(socket)).once("error", () => resolve(undefined));
  return promise;
}

/** A connection to a target. */
interface Connection {
  readonly socket: Socket;
  readonly name: string;
  readonly onForwarded: (request: ForwardedRequest) => void;
}

/** Forwards a request to one target, never to a second one: a process that died may have acted on the request. */
function forward(incoming: IncomingMessage, answer: ServerResponse, { socket, name, onForwarded }: Connection): void {
  const { method = "GET", url = "/", headers } = incoming;
  const outgoing = request({
    createConnection: () => socket,
    method,
    path: url,
    // This is the outermost proxy, so it replaces the address that the client claims.
    headers: { ...headers, "x-forwarded-for": incoming.socket.remoteAddress ?? "", connection: "close" },
  });
  outgoing.once("response", (response) => {
    const { statusCode: status = 502, headersDistinct } = response;
    for (const [header, values = []] of Object.entries(headersDistinct)) answer.setHeader(header, values);
    answer.removeHeader("connection");
    answer.writeHead(status);
    response.pipe(answer);
    response.once("error", () => answer.destroy());
    onForwarded({ by: name, method, path: url, status });
  });
  outgoing.once("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
  answer.once("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}
