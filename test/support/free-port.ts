import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Systems take the ports of outgoing connections from above, so that none of those gets one before its server does. */
const [lowest, highest] = [10_000, 32_000] as const;

/** Where the next look begins: at random, so that processes that look at the same time find different ports. */
let next = randomInt(lowest, highest);

/** Finds a port of the loopback that nobody uses. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port + 1 < highest ? port + 1 : lowest;
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
