import type { Clock, Store } from "@doorcode/core";
import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import { type RedisServer, startRedis } from "../support/redis-server.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

/** A store on a server of its own, with a wire in between that the test can cut. */
export interface RedisBench {
  readonly server: RedisServer;
  readonly proxy: TcpProxy;
  /** The app's client. */
  readonly client: Redis;
  readonly store: Store;
}

/** What a test wants otherwise. */
export interface RedisBenchOptions {
  readonly settings?: readonly string[];
  readonly clock?: Clock;
  readonly timeoutSeconds?: number;
}

/** Sets the bench up, connected; it is cleared when the test is over. */
export async function setUpRedis({ settings = [], ...options }: RedisBenchOptions = {}): Promise<RedisBench> {
  const server = await startRedis({ settings });
  const proxy = await startTcpProxy(server.port);
  const client = new Redis({ port: proxy.port, host: "127.0.0.1", retryStrategy: () => 20 });
  client.on("error", () => undefined);
  onTestFinished(async () => {
    client.disconnect();
    await proxy.close();
    await server.stop();
  });
  const store = createRedisStore({ client, ...options });
  await store.get(["connected"]);
  return { server, proxy, client, store };
}
