import { once } from "node:events";
import { connect, type Socket } from "node:net";

const connections = 16;
const endOfHead = "\r\n\r\n";
const lineEnd = "\r\n";

/** A request as bytes, and the status of its answer. */
export interface PlainRequest {
  readonly bytes: Buffer;
  readonly status: number;
}

/** Writes a request as bytes. */
export function requestOf(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array = new Uint8Array(),
): Buffer {
  const all = { host: "127.0.0.1", ...headers, "content-length": String(body.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.concat([Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, lineEnd].join(lineEnd)), body]);
}

/**
 * Sends all requests over a few connections, each the next one after its answer. It costs less than any server does: with a client
 * of HTTP the load would be measured, and not the server.
 *
 * @throws Error for an answer with another status, and for one whose length does not stand in its head
 */
export async function sendAll(port: number, requests: readonly PlainRequest[]): Promise<void> {
  let next = 0;
  const stopLooking = stayAwake();
  try {
    await Promise.all(
      Array.from({ length: Math.min(connections, requests.length) }, async () => {
        const socket = connect(port, "127.0.0.1").setNoDelay();
        await once(socket, "connect");
        try {
          await sendSome(socket, () => requests[next++]);
        } finally {
          socket.destroy();
        }
      }),
    );
  } finally {
    stopLooking();
  }
}

/**
 * Looks for answers all the time until the returned function is called. A process that sleeps must be woken by the write of an answer, and
 * its core with it. That is work of the server's process, which costs more than many a route does, and depends on how long the sleep was.
 * A client on another machine never causes it.
 */
function stayAwake(): () => void {
  let turn = setImmediate(look);
  function look(): void {
    turn = setImmediate(look);
  }
  return () => clearImmediate(turn);
}

function sendSome(socket: Socket, take: () => PlainRequest | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let request: PlainRequest | undefined;
    let received = Buffer.alloc(0);
    function send(): void {
      request = take();
      if (request) socket.write(request.bytes);
      else resolve();
    }
    socket.on("data", (bytes) => {
      received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
      const length = answerLength(received);
      if (length === undefined || received.length < length) return;
      const status = Number(received.toString("latin1", 9, 12));
      if (status !== request?.status) return reject(new Error(`Answered ${status}: ${received.toString()}`));
      received = Buffer.alloc(0);
      send();
    });
    socket.once("error", reject).once("close", () => reject(new Error("The server closed a connection.")));
    send();
  });
}

/** The length of an answer with its head, or `undefined` if its head has not arrived. */
function answerLength(received: Buffer): number | undefined {
  const end = received.indexOf(endOfHead);
  if (end < 0) return undefined;
  const head = received.toString("latin1", 0, end);
  if (/^HTTP\/1\.1 (?:204|304)/.test(head)) return end + endOfHead.length;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`An answer has no length: ${head}`);
  return end + endOfHead.length + Number(length);
}
