import { createServer, type Socket } from "node:net";
import { createBullInbox, createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { findFreePort } from "../support/free-port.ts";
import { hosts } from "../support/hosts.ts";
import { phone } from "../support/login-setup.ts";
import { type RedisSentinel, startRedisSentinel } from "../support/redis-sentinel.ts";
import { isInstalled, startRedis } from "../support/redis-server.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { openApp } from "./app.ts";
import { keysOf, tellingOf } from "./deliveries.ts";
import { patience } from "./patience.ts";

const host = hosts[0] ?? expect.fail("There is no host.");
const [queued, sent] = tellingOf("msg_1");

/** A port on which nothing is ever answered. */
async function startSilence() {
  const port = await findFreePort();
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    hangUp();
    server.close();
  });
  return { port, sockets, hangUp };
}

/** How many connections listen to a Sentinel. */
async function listenersOf({ port }: RedisSentinel): Promise<() => Promise<number>> {
  const admin = new Redis({ port, host: "127.0.0.1" });
  onTestFinished(() => admin.disconnect());
  return async () => String(await admin.client("LIST")).split(" sub=1 ").length - 1;
}

describe.skipIf(!isInstalled("redis-server"))("a fail-over", { timeout: 60_000 }, () => {
  test("that Sentinel tells of while a lost connection is being made again: store, inbox and worker go on at the new primary", async () => {
    const sentinel = await startRedisSentinel();
    onTestFinished(sentinel.stop);
    const wire = await startTcpProxy(sentinel.port);
    onTestFinished(wire.close);
    const silence = await startSilence();
    const listeners = await listenersOf(sentinel);
    const client = new Redis({
      sentinels: [{ host: "127.0.0.1", port: wire.port }],
      name: sentinel.name,
      retryStrategy: () => 20,
    });
    client.on("error", () => undefined);
    onTestFinished(() => client.disconnect());
    const [store, inbox] = [createRedisStore({ client }), createBullInbox({ client })];
    const app = await openApp(host, { store, webhooks: { inbox } });
    await app.doorcode.work();
    const login = async () => (await app.open().post("/login/start", { phone })).status;
    const delivery = async () => (await app.deliver(sent)).status;
    expect([await login(), (await app.deliver(queued)).status]).toEqual([200, 204]);
    await app.published("webhook.handled");
    // One for the store, one for the inbox, and two for the worker.
    await expect.poll(listeners, patience).toBe(4);

    wire.leadTo(silence.port);
    await sentinel.primary.admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    // They, and the app's own, ask where the primary is.
    await expect.poll(() => silence.sockets.length, patience).toBeGreaterThanOrEqual(5);
    await sentinel.failOver();
    await expect.poll(listeners, patience).toBe(0);
    wire.leadTo(sentinel.port);
    silence.hangUp();

    await expect.poll(login, patience).toBe(200);
    await expect.poll(delivery, patience).toBe(204);
    await app.published("webhook.handled", 2);
    expect(await sentinel.replica.admin.dbsize()).toBeGreaterThan(0);
    app.expectSilence();
  });

  test("by a name that moves: store and inbox leave the former primary, which kept their connections", async () => {
    const former = await startRedis();
    const next = await startRedis({ settings: ["--replicaof", "127.0.0.1", `${former.port}`] });
    const wire = await startTcpProxy(former.port);
    onTestFinished(async () => void (await Promise.all([former.stop(), next.stop(), wire.close()])));
    await expect.poll(() => next.admin.info("replication"), patience).toContain("master_link_status:up");
    const client = new Redis({ port: wire.port, host: "127.0.0.1", retryStrategy: () => 20 });
    client.on("error", () => undefined);
    onTestFinished(() => client.disconnect());
    const [store, inbox] = [createRedisStore({ client }), createBullInbox({ client })];
    const app = await openApp(host, { store, webhooks: { inbox } });
    expect((await app.deliver(queued)).status).toBe(204);
    wire.leadTo(next.port);
    await next.admin.replicaof("NO", "ONE");
    await former.admin.replicaof("127.0.0.1", next.port);

    await expect.poll(async () => (await app.open().post("/login/start", { phone })).status, patience).toBe(200);
    await expect.poll(async () => (await app.deliver(sent)).status, patience).toBe(204);
    expect(await next.admin.exists(`{doorcode}:webhooks:${keysOf([sent])[0]}`)).toBe(1);
    app.expectSilence();
  });
});
