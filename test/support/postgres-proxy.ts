import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

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
      const count = createCommandCounter();
      return (bytes) => {
        commands += count(bytes);
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

/**
 * Creates a counter for the bytes of one client. PostgreSQL's messages are a letter and a length; only the very first one has no
 * letter. A command ends with a Sync, or is a simple Query.
 */
function createCommandCounter(): (bytes: Buffer) => number {
  let pending = Buffer.alloc(0);
  let letters = 0;
  return (bytes) => {
    pending = Buffer.concat([pending, bytes]);
    let commands = 0;
    while (pending.length >= letters + 4) {
      const length = letters + pending.readUInt32BE(letters);
      if (pending.length < length) break;
      if (letters > 0 && "SQ".includes(String.fromCharCode(pending[0] ?? 0))) commands++;
      letters = 1;
      pending = pending.subarray(length);
    }
    return commands;
  };
}
