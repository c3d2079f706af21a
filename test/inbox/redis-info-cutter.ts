import { type AddressInfo, connect, createServer } from "node:net";

/** A wire to a Redis that is cut once, when a connection asks for `INFO` the second time. */
export interface InfoCutter {
  readonly port: number;
  close(): Promise<void>;
}

const question = "$4\r\ninfo\r\n";

/** ioredis asks for `INFO` when it has connected, and BullMQ once more before its first command. */
export async function startInfoCutter(targetPort: number): Promise<InfoCutter> {
  let isCut = false;
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    let questions = 0;
    const end = () => {
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) socket.on("error", end).once("close", end);
    client.on("data", (sent) => {
      questions += sent.toString("latin1").toLowerCase().split(question).length - 1;
      if (questions < 2 || isCut) return void target.write(sent);
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
