import type { Clock, Store } from "@doorcode/core/store";
import { createRedisStore, type RedisStoreOptions } from "@doorcode/redis";
import { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import { type RedisServer, type RedisServerOptions, startRedis } from "../support/redis-server.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

/** A store on a server of its own, behind a proxy that the test can cut. */
export interface RedisSetup {
  readonly server: RedisServer;
  /** The only way from the clients to the server. */
  readonly proxy: TcpProxy;
  /** The client of the app. */
  readonly client: Redis;
  readonly store: Store;
}

/** Settings of a test that differ from the defaults. */
export interface RedisSetupOptions {
  /** Settings of the server, as on its command line. */
  readonly settings?: readonly string[];
  /** Measures the timeouts of the store. */
  readonly clock?: Clock;
  /** The timeout of the store. */
  readonly timeoutSeconds?: number;
}

/** Starts a server that ends with the test. */
export async function openRedis(options?: RedisServerOptions): Promise<RedisServer> {
  const server = await startRedis(options);
  onTestFinished(() => server.stop());
  return server;
}

/** Starts a server and connects a store through a proxy. Everything ends with the test. */
export async function setUpRedis({ settings = [], ...options }: RedisSetupOptions = {}): Promise<RedisSetup> {
  const server = await openRedis({ settings });
  return { server, ...(await setUpProxy(server.url, options)) };
}

/** Connects a store through a proxy to a running server. Both end with the test. */
export async function setUpProxy(
  url: string,
  options: Omit<RedisStoreOptions, "client"> = {},
): Promise<Omit<RedisSetup, "server">> {
  const proxy = await startTcpProxy(url);
  const client = new Redis(proxy.url, { retryStrategy: () => 20 });
  client.on("error", () => undefined);
  const store = createRedisStore({ client, ...options });
  onTestFinished(async () => {
    client.disconnect();
    await store.close?.();
    await proxy.close();
  });
  await store.get(["connected"]);
  return { proxy, client, store };
}
