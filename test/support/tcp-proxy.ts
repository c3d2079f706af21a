import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy between clients and their server, which a test can break. */
export interface TcpProxy {
  readonly port: number;
  /** The URL of the server with the proxy in its place. */
  readonly url: string;
  /** The ports from which connections through the proxy reach the server. */
  readonly sourcePorts: ReadonlySet<number>;
  /** Cuts every connection, both ways. */
  cut(): void;
  /** Leads new connections to another port. Existing ones stay. */
  leadTo(port: number): void;
  /** Cuts every connection, and each new one at once, until `restore`. */
  refuse(): void;
  /** Holds back what the server sends, until `restore`. */
  holdAnswers(): void;
  /** Drops the next answer of the server, and cuts its connection. */
  loseAnswer(): void;
  /** Drops what clients send, until `restore`. */
  dropRequests(): void;
  /** Lets everything through again, also the answers that were held back. */
  restore(): void;
  close(): Promise<void>;
}

/** A connection through the proxy. */
export interface ProxiedConnection {
  readonly client: Socket;
  readonly target: Socket;
  /** Hands bytes of the client on to the server. */
  send(bytes: Buffer): void;
}

/** Options of {@link startTcpProxy}. */
export interface TcpProxyOptions {
  /** Creates what is called with the bytes of a client, in place of `send`. */
  readonly forward?: (connection: ProxiedConnection) => (bytes: Buffer) => void;
}

const defaultPorts: Readonly<Record<string, number>> = {
  "mysql:": 3306,
  "postgres:": 5432,
  "postgresql:": 5432,
  "redis:": 6379,
};

/**
 * Starts a proxy on the loopback.
 *
 * @param server - its URL, or its port on the loopback.
 */
export async function startTcpProxy(
  server: string | number,
  { forward = ({ send }) => send }: TcpProxyOptions = {},
): Promise<TcpProxy> {
  const url = new URL(typeof server === "number" ? `tcp://127.0.0.1:${server}` : server);
  const host = url.hostname;
  let port = Number(url.port || defaultPorts[url.protocol]);
  const connections = new Set<Pick<ProxiedConnection, "client" | "target">>();
  const sourcePorts = new Set<number>();
  let mode: "pass" | "refuse" | "hold" | "lose" | "drop" = "pass";

  // Small pieces go on at once, as on a wire.
  const listener = createServer({ noDelay: true }, (client) => {
    client.on("error", () => undefined);
    if (mode === "refuse") return void client.destroy();
    const target = connect({ port, host, noDelay: true });
    const connection = { client, target };
    connections.add(connection);
    const end = () => {
      connections.delete(connection);
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) socket.on("error", end).once("close", end);
    target.once("connect", () => sourcePorts.add(target.localPort ?? 0));
    const send = (bytes: Buffer) => void (mode === "drop" || target.write(bytes));
    client.on("data", forward({ ...connection, send }));
    target.on("data", (bytes) => {
      if (mode !== "lose") return void client.write(bytes);
      mode = "pass";
      end();
    });
    if (mode === "hold") target.pause();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const own = (listener.address() as AddressInfo).port;
  url.host = `127.0.0.1:${own}`;

  function cut(): void {
    for (const { client } of connections) client.destroy();
  }

  return {
    port: own,
    url: url.href,
    sourcePorts,
    cut,
    leadTo(next) {
      port = next;
    },
    refuse() {
      mode = "refuse";
      cut();
    },
    holdAnswers() {
      mode = "hold";
      for (const { target } of connections) target.pause();
    },
    loseAnswer() {
      mode = "lose";
    },
    dropRequests() {
      mode = "drop";
    },
    restore() {
      mode = "pass";
      for (const { target } of connections) target.resume();
    },
    async close() {
      cut();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
