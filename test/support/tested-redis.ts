import { randomUUID } from "node:crypto";
import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { findRedis } from "./redis-server.ts";
import { createClients, type TestedStore } from "./tested-store.ts";

/** Shortens the lifetimes and leases of all entries that match a pattern. */
const passTime = `
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  local leasedUntil = redis.call('HGET', key, 'u')
  if leasedUntil then redis.call('HSET', key, 'u', string.format('%.0f', leasedUntil - ARGV[2])) end
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, string.format('%.0f', left - ARGV[2])) end
end
`;

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
    makeRoom(appName) {
      const take = clients.take();
      const pattern = `${prefix}${appName}:*`;
      return {
        connect: () => take().store,
        passTime: async (milliseconds) => void (await admin.eval(passTime, 0, pattern, milliseconds)),
        countEntries: async () => (await admin.keys(pattern)).length,
      };
    },
    async close() {
      const left = await admin.keys(`${prefix}*`);
      if (left.length > 0) await admin.unlink(left);
      for (const { client } of clients.all()) client.disconnect();
      admin.disconnect();
      await server.close();
    },
  };
}
