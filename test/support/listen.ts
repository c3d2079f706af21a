import type { AddressInfo, Server } from "node:net";

/** A server of a test, on the loopback interface. */
export interface ListeningServer {
  readonly port: number;
  /** Its URL, if it speaks HTTP. */
  readonly url: string;
  /** Ends its connections, if it speaks HTTP, and resolves when it is closed. */
  close(): Promise<void>;
}

/** Has a server listen. By default it takes any free port. */
export async function listen(
  server: Server & { closeAllConnections?(): void },
  port: number = 0,
): Promise<ListeningServer> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections?.();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
