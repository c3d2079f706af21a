import { randomUUID } from "node:crypto";
import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import { type InboxSetup, setUpRedis } from "../inbox/inbox-setup.ts";
import { untilAnswered } from "../support/poll.ts";
import { isInstalled, type RedisServer, startRedis } from "../support/redis-server.ts";
import { endRedisLeases } from "../support/redis-time.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import type {
  OwnEngineOptions,
  OwnStore,
  OwnStoreOptions,
  Proxied,
  ServerKind,
  StoppableServer,
} from "./stoppable-server.ts";

/** A Redis that keeps what it answered. */
export interface StoppableRedis extends StoppableServer {
  readonly server: RedisServer;
}

/** Redis, where it is installed. */
export const stoppableRedis: ServerKind<StoppableRedis> = {
  name: "Redis",
  isInstalled: isInstalled("redis-server"),
  async open() {
    const server = await startRedis({ settings: ["--appendonly", "yes", "--appendfsync", "always"] });
    const { shutDown: stop, kill, restart: start, stop: close } = server;
    return {
      ...{ server, stop, kill, start, close },
      readsGoOn: false,
      openStore: (options) => openStore(server, options),
      openEngine: (options) => openOwnEngine(server, options),
    };
  },
};

async function openStore(
  { url, admin }: RedisServer,
  { direct = false, ...options }: OwnStoreOptions = {},
): Promise<OwnStore & Proxied> {
  const proxy = await startTcpProxy(url);
  onTestFinished(proxy.close);
  const client = new Redis(direct ? url : proxy.url, { retryStrategy: () => 5 });
  client.on("error", () => undefined);
  const prefix = `t${randomUUID().slice(0, 8)}:`;
  const store = createRedisStore({ client, prefix, ...options });
  onTestFinished(async () => {
    client.disconnect();
    await store.close?.();
  });
  // Waits for the app's own client, too: what it sends when it connects is no command of the store.
  const ready = () => untilAnswered(() => Promise.all([client.ping(), store.get(["probe"])]));
  await ready();
  return { store, proxy, ready, endLeases: () => endRedisLeases(admin, prefix) };
}

async function openOwnEngine(
  { url }: RedisServer,
  { proxied = false, ...options }: OwnEngineOptions = {},
): Promise<InboxSetup & Proxied> {
  const proxy = await startTcpProxy(url);
  onTestFinished(proxy.close);
  return { ...(await setUpRedis({ url }, options, proxied ? proxy.url : url)), proxy };
}
