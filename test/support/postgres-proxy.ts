import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";
import { postgresProtocol } from "./wire-protocols.ts";

/** A proxy in front of PostgreSQL that counts commands. */
export interface PostgresProxy extends TcpProxy {
  /** Returns the number of commands that clients sent since the last call. */
  countCommands(): number;
}

/** Starts a proxy in front of the PostgreSQL of a URL. */
export async function startPostgresProxy(serverUrl: string): Promise<PostgresProxy> {
  let commands = 0;
  const proxy = await startTcpProxy(serverUrl, {
    forward({ send }) {
      const read = postgresProtocol.createReader();
      return (bytes) => {
        commands += read(bytes).filter(({ isCommand }) => isCommand).length;
        send(bytes);
      };
    },
  });
  return {
    ...proxy,
    countCommands() {
      const counted = commands;
      commands = 0;
      return counted;
    },
  };
}
