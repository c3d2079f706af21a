import { randomUUID } from "node:crypto";
import type { Store } from "@doorcode/core/store";
import { createManualClock } from "@doorcode/core/testing";
import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, test } from "vitest";
import { isInstalled, type RedisServer, startRedis } from "../support/redis-server.ts";
import { passRedisTime } from "../support/redis-time.ts";
import {
  testClockSkew,
  testConformance,
  testConnectionLoss,
  testLifetimes,
  testRealTime,
  type WiredStore,
} from "./conformance.ts";
import { compareWithMemory } from "./model.ts";
import { setUpProxy } from "./redis-setup.ts";

/** A server that others may use too, so the test looks at its own keys only. */
const given = process.env.TEST_REDIS_URL;
const prefix = `doorcode-test-${randomUUID()}:`;

async function openProxied(url: string): Promise<WiredStore> {
  const clock = createManualClock();
  const { store, proxy } = await setUpProxy(url, { prefix, clock });
  return { store, proxies: [proxy], clock };
}

/** Tests the store on a server that is opened before its first test. */
function testOn(title: string, open: () => Promise<Pick<RedisServer, "url" | "stop">>): void {
  describe(title, () => {
    let server: Pick<RedisServer, "url" | "stop">;
    let client: Redis;
    let store: Store;
    beforeAll(async () => {
      server = await open();
      client = new Redis(server.url);
      store = createRedisStore({ client, prefix });
    });
    afterAll(async () => {
      client.disconnect();
      await store.close?.();
      await server.stop();
    });
    const setup = {
      store: () => store,
      advance: (milliseconds: number) => passRedisTime(client, `${prefix}*`, milliseconds),
    };
    testConformance(setup);
    testClockSkew(setup);
    testRealTime(() => store);
    testLifetimes(async () => Promise.all((await client.keys(`${prefix}*`)).map((key) => client.pttl(key))));
    testConnectionLoss(() => openProxied(server.url));
    test("answers every call as the memory store does", { timeout: 60_000 }, async () => {
      await compareWithMemory({
        store,
        async clear() {
          for (const key of await client.keys(`${prefix}*`)) await client.del(key);
        },
        advance: setup.advance,
      });
    });
  });
}

if (given !== undefined) {
  testOn("the store on the server of TEST_REDIS_URL", async () => ({ url: given, stop: async () => undefined }));
}
for (const binary of (["redis-server", "valkey-server"] as const).filter(isInstalled)) {
  if (binary === "valkey-server" || given === undefined) testOn(`the store on ${binary}`, () => startRedis({ binary }));
}
