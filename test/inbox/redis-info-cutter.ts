import { type AddressInfo, connect, createServer } from "node:net";

/** A proxy to a Redis that cuts a connection once, when it sends `INFO` for the second time. */
export interface InfoCutter {
  /** The port of the proxy. */
  readonly port: number;
  /** Stops accepting connections. */
  close(): Promise<void>;
}

const command = "$4\r\ninfo\r\n";

/** Starts the proxy. ioredis sends `INFO` when it has connected, and BullMQ once more before its first command. */
export async function startInfoCutter(targetPort: number): Promise<InfoCutter> {
  let isCut = false;
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    let commands = 0;
    const end = () => {
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) socket.on("error", end).once("close", end);
    client.on("data", (sent) => {
      commands += sent.toString("latin1").toLowerCase().split(command).length - 1;
      if (commands < 2 || isCut) return void target.write(sent);
      isCut = true;
      end();
    });
    target.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
