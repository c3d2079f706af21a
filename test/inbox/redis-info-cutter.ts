import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

const command = "$4\r\ninfo\r\n";

/**
 * Starts a proxy in front of a Redis that cuts a connection once, when it sends `INFO` for the second time. ioredis sends
 * `INFO` when it has connected, and BullMQ once more before its first command.
 */
export function startInfoCutter(targetPort: number): Promise<TcpProxy> {
  let isCut = false;
  return startTcpProxy(targetPort, {
    forward({ client, send }) {
      let commands = 0;
      return (bytes) => {
        commands += bytes.toString("latin1").toLowerCase().split(command).length - 1;
        if (commands < 2 || isCut) return send(bytes);
        isCut = true;
        client.destroy();
      };
    },
  });
}
