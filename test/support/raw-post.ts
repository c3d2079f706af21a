import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Headers in the order in which they are sent; a name can occur twice. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** An answer with its whole body. */
export interface RawAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The code of a refusal. */
  readonly code: unknown;
}

/** A POST that is sent byte for byte as the test says, piece by piece. */
export interface RawPost {
  /** Sends a piece of the body; without a content-length among the headers, as one chunk. */
  write(bytes: string | Uint8Array): void;
  /** Sends bytes as they are, such as many chunks at once. */
  writeRaw(bytes: string | Uint8Array): void;
  /** Sends the last piece. */
  end(bytes?: string | Uint8Array): void;
  /** Resolves when everything has left this process. */
  sent(): Promise<void>;
  /** Hangs up, and drops what has not left this process. */
  destroy(): void;
  /** Resolves with the answer; rejects when the server hangs up without one. */
  answer(): Promise<RawAnswer>;
  /** Resolves when the connection is closed; this side closes it only with `destroy`. */
  closed(): Promise<void>;
}

/** Opens a connection for several POSTs, one after the other. */
export function openConnection(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // A server may cut the connection under a body that it refuses: its answer has arrived before that.
  return socket.on("error", () => {});
}

/** Begins a POST by sending its headers, on a connection of its own unless one is given. */
export function beginPost(url: string, lines: HeaderLines, socket?: Socket): RawPost {
  return beginRequest("POST", url, lines, socket);
}

/** Begins a request with a body, likewise. */
export function beginRequest(
  method: string,
  url: string,
  lines: HeaderLines,
  socket: Socket = openConnection(url),
): RawPost {
  const { host, pathname, search } = new URL(url);
  const isChunked = !lines.some(([name]) => name.toLowerCase() === "content-length");
  const all: HeaderLines = [
    ["host", host],
    ...lines,
    ...(isChunked ? [["transfer-encoding", "chunked"] as const] : []),
  ];
  const received: Buffer[] = [];
  const keep = (bytes: Buffer) => void received.push(bytes);
  socket.on("data", keep);

  const send = (bytes: string | Uint8Array) => void socket.write(bytes);
  send(`${method} ${pathname}${search} HTTP/1.1\r\n`);
  for (const [name, value] of all) send(Buffer.concat([Buffer.from(`${name}: `), bytesOf(value), Buffer.from("\r\n")]));
  send("\r\n");

  function write(bytes: string | Uint8Array): void {
    if (isChunked) send(`${Buffer.byteLength(bytes).toString(16)}\r\n`);
    send(bytes);
    if (isChunked) send("\r\n");
  }

  return {
    write,
    writeRaw: send,
    end(bytes) {
      if (bytes !== undefined && bytes.length > 0) write(bytes);
      if (isChunked) send("0\r\n\r\n");
    },
    async sent() {
      await new Promise<void>((resolve) => socket.write("", () => resolve()));
    },
    destroy: () => void socket.destroy(),
    async closed() {
      if (!socket.closed) await once(socket, "close");
    },
    async answer() {
      for (;;) {
        const answer = parseAnswer(Buffer.concat(received), socket.closed);
        if (answer) {
          socket.off("data", keep);
          return answer;
        }
        if (socket.closed) throw new Error("The server hung up without an answer.");
        await nextOf(socket, ["data", "close"]);
      }
    },
  };
}

/** Resolves at the first of these events, and leaves no listeners. */
async function nextOf(socket: Socket, events: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const happened = () => resolve();
  for (const event of events) socket.on(event, happened);
  await promise;
  for (const event of events) socket.off(event, happened);
}

/** Answers `undefined` while bytes are missing. A body without a length ends with the connection. */
function parseAnswer(bytes: Buffer, isClosed: boolean): RawAnswer | undefined {
  const endOfHead = bytes.indexOf("\r\n\r\n");
  if (endOfHead < 0) return undefined;
  const [statusLine = "", ...lines] = bytes.subarray(0, endOfHead).toString("latin1").split("\r\n");
  const status = Number(statusLine.split(" ")[1]);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const body = bytes.subarray(endOfHead + 4);
  const length = status === 204 ? 0 : Number(headers["content-length"] ?? (isClosed ? body.length : Infinity));
  if (body.length < length) return undefined;
  const text = body.toString();
  return { status, headers, text, code: text.startsWith("{") ? JSON.parse(text).code : undefined };
}

/** One byte for each character of latin-1; a text with other characters is sent as UTF-8. */
function bytesOf(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  return bytes.toString("latin1") === value ? bytes : Buffer.from(value);
}
