import { randomUUID } from "node:crypto";
import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import { openEngine } from "../inbox/open-engine.ts";
import { isInstalled, type RedisServer, startRedis } from "../support/redis-server.ts";
import { type CommandWire, startCommandWire } from "./command-wire.ts";
import type { Ground, GroundKind, OwnEngine, OwnEngineOptions, WiredStore, WiredStoreOptions } from "./ground.ts";
import { succeeds } from "./patience.ts";
import { redisProtocol } from "./protocols.ts";

/** A Redis that keeps what it answered. */
export interface RedisGround extends Ground {
  readonly server: RedisServer;
}

/** Redis, where it is installed. */
export const redisKind: GroundKind<RedisGround> = {
  name: "Redis",
  isThere: isInstalled("redis-server"),
  async open() {
    const server = await startRedis({ settings: ["--appendonly", "yes", "--appendfsync", "always"] });
    return {
      server,
      stop: server.shutDown,
      kill: server.kill,
      start: server.restart,
      openStore: (options) => openStore(server, options),
      openEngine: (options) => openOwnEngine(server, options),
      close: server.stop,
    };
  },
};

async function openStore(
  { port, admin }: RedisServer,
  { timeoutSeconds = 2, direct = false }: WiredStoreOptions = {},
): Promise<WiredStore> {
  const wire = await startWire(port);
  const client = new Redis({ port: direct ? port : wire.port, host: "127.0.0.1", retryStrategy: () => 5 });
  client.on("error", () => undefined);
  onTestFinished(() => client.disconnect());
  const prefix = `t${randomUUID().slice(0, 8)}:`;
  const store = createRedisStore({ client, prefix, timeoutSeconds });
  // The app's own client too: what it says when it connects is no command of the store.
  const ready = () => succeeds(() => Promise.all([client.ping(), store.get(["probe"])]));
  await ready();
  return { store, wire, ready, endLeases: () => endLeases(admin, prefix) };
}

async function openOwnEngine(
  { port, url, admin }: RedisServer,
  { wired = false, ...options }: OwnEngineOptions = {},
): Promise<OwnEngine> {
  const wire = await startWire(port);
  const prefix = `t${randomUUID().slice(0, 8)}`;
  const open = (at: string) => {
    const engine = openEngine({ kind: "redis", url: at, prefix }, options);
    onTestFinished(engine.close);
    return engine;
  };
  return {
    ...open(wired ? `redis://127.0.0.1:${wire.port}` : url),
    wire,
    openAnother: () => open(url),
    async passTime() {
      await endLeases(admin, prefix);
      for (const lock of await admin.keys(`{${prefix}}:*:lock`)) await admin.del(lock);
    },
  };
}

async function startWire(port: number): Promise<CommandWire> {
  const wire = await startCommandWire(port, redisProtocol);
  onTestFinished(wire.close);
  return wire;
}

/** Lets every lease run out whose key begins so. */
export async function endLeases(admin: Redis, prefix: string): Promise<void> {
  for (const key of await admin.keys(`${prefix}*`)) {
    if ((await admin.type(key)) === "hash" && (await admin.hexists(key, "u"))) await admin.hset(key, "u", 1);
  }
}
