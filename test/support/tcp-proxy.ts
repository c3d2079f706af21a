import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A wire between clients and their server, in the hands of the test. */
export interface TcpProxy {
  readonly port: number;
  /** The ports by which the server knows the connections that went through here. */
  readonly sourcePorts: ReadonlySet<number>;
  /** Cuts every connection, both ways. */
  cut(): void;
  /** Leads connections that are made from now on to another port; those that stand stay where they are. */
  leadTo(port: number): void;
  /** Cuts every connection, and each new one at once, until `restore`. */
  refuse(): void;
  /** Keeps back what the server says, until `restore`. */
  holdAnswers(): void;
  /** Drops the next thing that the server says, and cuts its connection. */
  loseAnswer(): void;
  /** Lets everything through again, also what was kept back. */
  restore(): void;
  close(): Promise<void>;
}

/** What a test wants otherwise. */
export interface TcpProxyOptions {
  /** Hands what a client says on to the server; as it comes when left out. */
  readonly forward?: (client: Socket, target: Socket) => void;
}

/** Starts a wire to a port, of the loopback unless another host is named. */
export async function startTcpProxy(
  targetPort: number,
  targetHost = "127.0.0.1",
  { forward = (client, target) => void client.pipe(target) }: TcpProxyOptions = {},
): Promise<TcpProxy> {
  const wires = new Set<{ readonly client: Socket; readonly target: Socket }>();
  const sourcePorts = new Set<number>();
  let port = targetPort;
  let mode: "pass" | "refuse" | "hold" | "lose" = "pass";

  // Small pieces go on at once, as on a wire.
  const server = createServer({ noDelay: true }, (client) => {
    client.on("error", () => undefined);
    if (mode === "refuse") return void client.destroy();
    const target = connect({ port, host: targetHost, noDelay: true });
    const wire = { client, target };
    wires.add(wire);
    const end = () => {
      wires.delete(wire);
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) socket.on("error", end).once("close", end);
    target.once("connect", () => sourcePorts.add(target.localPort ?? 0));
    forward(client, target);
    target.on("data", (bytes) => {
      if (mode !== "lose") return void client.write(bytes);
      mode = "pass";
      end();
    });
    if (mode === "hold") target.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  function cut(): void {
    for (const { client } of wires) client.destroy();
  }

  return {
    port: (server.address() as AddressInfo).port,
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
      for (const { target } of wires) target.pause();
    },
    loseAnswer() {
      mode = "lose";
    },
    restore() {
      mode = "pass";
      for (const { target } of wires) target.resume();
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
