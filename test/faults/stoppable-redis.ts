import { randomUUID } from "node:crypto";
import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import { endRedisHolds } from "../inbox/inbox-setup.ts";
import { type EngineOptions, openEngine } from "../inbox/open-engine.ts";
import { untilAnswered } from "../support/poll.ts";
import { isInstalled, type RedisServer, startRedis } from "../support/redis-server.ts";
import { endRedisLeases } from "../support/redis-time.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import type {
  OwnEngine,
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
    return {
      server,
      stop: server.shutDown,
      kill: server.kill,
      start: server.restart,
      readsGoOn: false,
      openStore: (options) => openStore(server, options),
      openEngine: (options) => openOwnEngine(server, options),
      close: server.stop,
    };
  },
};

async function openStore(
  { url, admin }: RedisServer,
  { direct = false, ...options }: OwnStoreOptions = {},
): Promise<OwnStore & Proxied> {
  const proxy = await startProxy(url);
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
  { url, admin }: RedisServer,
  { proxied = false, ...options }: OwnEngineOptions = {},
): Promise<OwnEngine & Proxied> {
  const proxy = await startProxy(url);
  const prefix = `t${randomUUID().slice(0, 8)}`;
  const open = (at: string, more?: EngineOptions) => {
    const engine = openEngine({ kind: "redis", url: at, prefix }, more);
    onTestFinished(engine.close);
    return engine;
  };
  return {
    ...open(proxied ? proxy.url : url, options),
    proxy,
    openAnother: (more) => open(url, more),
    endHolds: () => endRedisHolds(admin, prefix),
  };
}

async function startProxy(url: string): Promise<TcpProxy> {
  const proxy = await startTcpProxy(url);
  onTestFinished(proxy.close);
  return proxy;
}
