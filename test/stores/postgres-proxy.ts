import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A connection between pg and its server that counts commands and can break. */
export interface PostgresProxy {
  readonly url: string;
  /** Returns the number of commands since the last call. */
  countCommands(): number;
  /** The fate of the client's next bytes: passed on, passed on and then cut off, or swallowed. */
  next: "pass" | "cut" | "swallow";
  close(): Promise<void>;
}

/** Starts a proxy in front of a server. */
export async function startPostgresProxy(serverUrl: string): Promise<PostgresProxy> {
  const target = new URL(serverUrl);
  const open = new Set<Socket>();
  let commands = 0;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    const count = createCounter(() => commands++);
    let cutting = false;
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
    }
    client.on("data", (bytes) => {
      count(bytes);
      if (proxy.next === "swallow") return;
      cutting = proxy.next === "cut";
      proxy.next = "pass";
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (cutting) client.destroy();
      else if (!client.destroyed) client.write(bytes);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(serverUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);

  const proxy: PostgresProxy = {
    url: url.href,
    next: "pass",
    countCommands() {
      const counted = commands;
      commands = 0;
      return counted;
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}

/** Counts the commands in a stream of messages: a letter, four bytes of length, and the rest. The very first message has no letter. */
function createCounter(onCommand: () => void): (bytes: Buffer) => void {
  let pending = Buffer.alloc(0);
  let letters = 0;
  return (bytes) => {
    pending = Buffer.concat([pending, bytes]);
    while (pending.length >= letters + 4) {
      const length = letters + pending.readUInt32BE(letters);
      if (pending.length < length) return;
      // "S" ends a command of the extended protocol, "Q" is one of the simple protocol.
      if (letters === 1 && "SQ".includes(String.fromCharCode(pending[0] ?? 0))) onCommand();
      pending = pending.subarray(length);
      letters = 1;
    }
  };
}
