import { randomUUID } from "node:crypto";
import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { findRedis } from "./redis-server.ts";
import { passRedisTime } from "./redis-time.ts";
import { createClients, type TestedStore } from "./tested-store.ts";

/** Opens the Redis of the tests. Returns `undefined` where there is none. */
export async function openTestedRedis(): Promise<TestedStore | undefined> {
  const server = await findRedis();
  if (!server) return undefined;
  const prefix = `doorcode-test-${randomUUID()}:`;
  const admin = new Redis(server.url);
  const clients = createClients(() => {
    const client = new Redis(server.url);
    // The maximum, since a busy machine may reply late, and these tests do not measure that.
    return { client, store: createRedisStore({ client, prefix, timeoutSeconds: 3.9 }) };
  });

  return {
    name: "Redis",
    openEntries(appName) {
      const take = clients.take();
      const pattern = `${prefix}${appName}:*`;
      return {
        connect: () => take().store,
        passTime: (milliseconds) => passRedisTime(admin, pattern, milliseconds),
        countEntries: async () => (await admin.keys(pattern)).length,
      };
    },
    async close() {
      const left = await admin.keys(`${prefix}*`);
      if (left.length > 0) await admin.unlink(left);
      for (const { client, store } of clients.all()) {
        client.disconnect();
        await store.close?.();
      }
      admin.disconnect();
      await server.close();
    },
  };
}
