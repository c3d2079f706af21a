import type { Clock } from "@doorcode/core/clock";
import type { Store } from "@doorcode/core/store";
import { createRedisStore, type RedisStoreOptions } from "@doorcode/redis";
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
  onTestFinished(() => server.stop());
  return { server, ...(await setUpWire(server.url, options)) };
}

/** Connects a store over a wire to a server that is there; both end with the test. */
export async function setUpWire(
  url: string,
  options: Omit<RedisStoreOptions, "client"> = {},
): Promise<Omit<RedisBench, "server">> {
  const wired = new URL(url);
  const proxy = await startTcpProxy(Number(wired.port || 6379), wired.hostname);
  wired.host = `127.0.0.1:${proxy.port}`;
  const client = new Redis(wired.href, { retryStrategy: () => 20 });
  client.on("error", () => undefined);
  onTestFinished(async () => {
    client.disconnect();
    await proxy.close();
  });
  const store = createRedisStore({ client, ...options });
  await store.get(["connected"]);
  return { proxy, client, store };
}
