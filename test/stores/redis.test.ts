import { randomUUID } from "node:crypto";
import type { Store } from "@doorcode/core/store";
import { createManualClock } from "@doorcode/core/testing";
import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe } from "vitest";
import { isInstalled, type RedisBinary, type RedisServer, startRedis } from "../support/redis-server.ts";
import { passRedisTime } from "../support/redis-time.ts";
import {
  testClockSkew,
  testConformance,
  testConnectionLoss,
  testLifetimes,
  testRealTime,
  type WiredStore,
} from "./conformance.ts";
import { setUpProxy } from "./redis-setup.ts";

/** A server that others may use too, so the test looks at its own keys only. */
const given = process.env.TEST_REDIS_URL;
const prefix = `doorcode-test-${randomUUID()}:`;
const passTime = (server: Redis, milliseconds: number) => passRedisTime(server, `${prefix}*`, milliseconds);

async function lifetimesOf(admin: Redis): Promise<readonly number[]> {
  const keys = await admin.keys(`${prefix}*`);
  return Promise.all(keys.map((key) => admin.pttl(key)));
}

async function openProxied(url: string): Promise<WiredStore> {
  const clock = createManualClock();
  const { store, proxy } = await setUpProxy(url, { prefix, clock });
  return { store, proxies: [proxy], clock };
}

function testOn(binary: RedisBinary): void {
  describe.skipIf(!isInstalled(binary))(`the store on ${binary}`, () => {
    let server: RedisServer;
    let client: Redis;
    let store: Store;
    beforeAll(async () => {
      server = await startRedis({ binary });
      client = new Redis(server.url);
      store = createRedisStore({ client, prefix });
    });
    afterAll(async () => {
      client.disconnect();
      await store.close?.();
      await server.stop();
    });
    const setup = { store: () => store, advance: (milliseconds: number) => passTime(server.admin, milliseconds) };
    testConformance(setup);
    testClockSkew(setup);
    testRealTime(() => store);
    testLifetimes(() => lifetimesOf(server.admin));
    testConnectionLoss(() => openProxied(server.url));
  });
}

if (given === undefined) {
  testOn("redis-server");
} else {
  describe("the store on the server of TEST_REDIS_URL", () => {
    const client = new Redis(given);
    const store = createRedisStore({ client, prefix });
    afterAll(async () => {
      client.disconnect();
      await store.close?.();
    });
    const setup = { store: () => store, advance: (milliseconds: number) => passTime(client, milliseconds) };
    testConformance(setup);
    testClockSkew(setup);
    testRealTime(() => store);
    testLifetimes(() => lifetimesOf(client));
    testConnectionLoss(() => openProxied(given));
  });
}

testOn("valkey-server");
