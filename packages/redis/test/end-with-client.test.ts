import { Redis } from "ioredis";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { findRedis } from "../../../test/support/redis-server.ts";
import { endConnection, endWithClient } from "../src/connection/end-with-client.ts";

const server = await findRedis();
afterAll(() => server?.close());

test.skipIf(!server)("a copy that is connected again after its connection was ended is ended, too", async () => {
  // No server listens at this port, so that the connection is ended between two attempts and emits no event.
  const connection = new Redis({ host: "127.0.0.1", port: 1, retryStrategy: () => 50 });
  connection.on("error", () => undefined);
  const copy = new Redis(server?.url ?? "", { lazyConnect: true });
  onTestFinished(() => copy.disconnect());
  endWithClient(connection, copy);
  await copy.connect();
  await new Promise((resolve) => connection.once("reconnecting", resolve));
  endConnection(connection);
  const isEnded = () => copy.status === "end";
  await expect.poll(isEnded).toBe(true);
  // BullMQ does this to a connection that waits for jobs.
  await copy.connect();
  await expect.poll(isEnded).toBe(true);
});
