import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";

/** A process behind the proxy. */
export interface Target {
  readonly name: string;
  readonly port: number;
}

/** A request that was answered, and by which process. */
export interface PassedOn {
  readonly by: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/**
 * Creates the stand-in for nginx, HAProxy or the load balancer of a cloud: requests go to the targets in turn, and past
 * those that take no connection. It is made for this example and for nothing else.
 *
 * @param targets - asked at each request: processes end and begin.
 */
export function createProxy(targets: () => readonly Target[], tell: (passedOn: PassedOn) => void): Server {
  // Webhooks have turns of their own, so that each visitor alternates between the processes whatever else comes in.
  const turns = { webhooks: 0, pages: 0 };

  return createServer(async (incoming, answer) => {
    const list = targets();
    const turn = turns[incoming.url?.startsWith("/webhooks") ? "webhooks" : "pages"]++;
    const inTurn = list.map((_target, index) => list[(turn + index) % list.length]);
    for (const target of inTurn) {
      const socket = target && (await open(target.port));
      if (socket) return passOn(incoming, answer, { socket, name: target.name, tell });
    }
    answer.writeHead(503, { "retry-after": "1" }).end();
  });
}

/** Before anything of the request is read, so that it can still be given to somebody else. */
function open(port: number): Promise<Socket | undefined> {
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
  const socket = connect(port, "127.0.0.1", () => resolve(socket)).once("error", () => resolve(undefined));
  return promise;
}

interface Way {
  readonly socket: Socket;
  readonly name: string;
  readonly tell: (passedOn: PassedOn) => void;
}

/** From here on a request belongs to one process: what it did of it before it died, nobody knows. */
function passOn(incoming: IncomingMessage, answer: ServerResponse, { socket, name, tell }: Way): void {
  const { method = "GET", url = "/", headers } = incoming;
  const outgoing = request({
    createConnection: () => socket,
    method,
    path: url,
    // In place of what the client says of itself: this is the outermost proxy.
    headers: { ...headers, "x-forwarded-for": incoming.socket.remoteAddress ?? "", connection: "close" },
  });
  outgoing.once("response", (response) => {
    const { statusCode: status = 502, headersDistinct } = response;
    for (const [header, values = []] of Object.entries(headersDistinct)) answer.setHeader(header, values);
    answer.removeHeader("connection");
    answer.writeHead(status);
    response.pipe(answer);
    response.once("error", () => answer.destroy());
    tell({ by: name, method, path: url, status });
  });
  outgoing.once("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
  answer.once("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}
