import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { describe, onTestFinished, test } from "vitest";
import { isInstalled, type RedisBinary, startRedis } from "../support/redis-server.ts";
import { passRedisTime } from "../support/redis-time.ts";
import { compareWithMemory } from "./model.ts";

describe.each<RedisBinary>(["redis-server", "valkey-server"])("%s", (binary) => {
  test.skipIf(!isInstalled(binary))("answers every call as the memory store does", { timeout: 60_000 }, async () => {
    const { admin, url, stop } = await startRedis({ binary });
    const client = new Redis(url);
    const store = createRedisStore({ client });
    onTestFinished(async () => {
      client.disconnect();
      await store.close?.();
      await stop();
    });
    await compareWithMemory({
      store,
      clear: () => admin.flushall(),
      advance: (milliseconds) => passRedisTime(admin, "*", milliseconds),
    });
  });
});
