import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that a system assigns by itself, which begin at 32768 on Linux: no outgoing connection can take a port
 * before its server does, nor while the server is down.
 */
const [minPort, maxPort] = [11_000, 32_000] as const;

/** Where the next look begins: at random, so that processes that look at the same time find different ports. */
let next = randomInt(minPort, maxPort);

/** Finds a port of the loopback that no process listens on. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port + 1 < maxPort ? port + 1 : minPort;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = once(server.listen(port, "127.0.0.1"), "listening").then(
    () => true,
    () => false,
  );
  if (!(await listening)) return false;
  server.close();
  await once(server, "close");
  return true;
}
