import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A wire between clients and their server, in the hands of the test. */
export interface TcpProxy {
  readonly port: number;
  /** The ports by which the server knows the connections that went through here. */
  readonly sourcePorts: ReadonlySet<number>;
  /** Cuts every connection, both ways. */
  cut(): void;
  /** Keeps back what the server says from now on. */
  holdAnswers(): void;
  /** Lets it through, and all that comes after it. */
  releaseAnswers(): void;
  close(): Promise<void>;
}

/** Starts a wire to a port, of the loopback unless another host is named. */
export async function startTcpProxy(targetPort: number, targetHost = "127.0.0.1"): Promise<TcpProxy> {
  const wires = new Set<{ readonly client: Socket; readonly target: Socket }>();
  const sourcePorts = new Set<number>();
  let holding = false;

  const server = createServer((client) => {
    const target = connect(targetPort, targetHost);
    const wire = { client, target };
    wires.add(wire);
    const end = () => {
      wires.delete(wire);
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) socket.on("error", end).once("close", end);
    target.once("connect", () => sourcePorts.add(target.localPort ?? 0));
    client.pipe(target);
    if (!holding) target.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  function cut(): void {
    for (const { client } of wires) client.destroy();
  }

  return {
    port: (server.address() as AddressInfo).port,
    sourcePorts,
    cut,
    holdAnswers() {
      holding = true;
      for (const { client, target } of wires) target.unpipe(client);
    },
    releaseAnswers() {
      holding = false;
      for (const { client, target } of wires) target.pipe(client);
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
