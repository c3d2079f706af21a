import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that a system assigns by itself, which begin at 32768 on Linux: no other process can be given the port
 * between this look and its use, nor while the server of a test is down.
 */
const [minPort, maxPort] = [11_000, 32_000];

/** Finds a port of the loopback that no process listens on. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(minPort, maxPort);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
