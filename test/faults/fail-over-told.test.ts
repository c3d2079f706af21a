import { createBullInbox, createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { phone } from "../support/login-setup.ts";
import { type RedisSentinel, startRedisSentinel } from "../support/redis-sentinel.ts";
import { isInstalled, startRedis } from "../support/redis-server.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { openApp } from "./app.ts";
import { courseOf, keysOf } from "./message-course.ts";

const host = hosts[0] ?? expect.fail("There is no host.");
const [queued, sent] = courseOf("msg_1");

/** Counts the connections that listen to a Sentinel. */
async function listenersOf({ port }: RedisSentinel): Promise<() => Promise<number>> {
  const admin = new Redis({ port, host: "127.0.0.1" });
  onTestFinished(() => admin.disconnect());
  return async () => String(await admin.client("LIST")).split(" sub=1 ").length - 1;
}

describe.skipIf(!isInstalled("redis-server"))("a failover", { timeout: 60_000 }, () => {
  test("that Sentinel announces while its clients are reconnecting to it: store, inbox and worker use the new primary", async () => {
    const sentinel = await startRedisSentinel();
    onTestFinished(sentinel.stop);
    const proxy = await startTcpProxy(sentinel.port);
    onTestFinished(proxy.close);
    const silent = await startTcpProxy(sentinel.port);
    onTestFinished(silent.close);
    silent.dropRequests();
    const listeners = await listenersOf(sentinel);
    const client = new Redis({
      sentinels: [{ host: "127.0.0.1", port: proxy.port }],
      name: sentinel.name,
      retryStrategy: () => 20,
    });
    client.on("error", () => undefined);
    onTestFinished(() => client.disconnect());
    const [store, inbox] = [createRedisStore({ client }), createBullInbox({ client })];
    onTestFinished(async () => void (await Promise.all([store.close?.(), inbox.close()])));
    const app = await openApp(host, { store, webhooks: { inbox } });
    await app.doorcode.work();
    const login = async () => (await app.open().post("/login/start", { phone })).status;
    const delivery = async () => (await app.deliver(sent)).status;
    expect([await login(), (await app.deliver(queued)).status]).toEqual([200, 204]);
    await app.published("webhook.handled");
    // One for the store, one for the inbox, and two for the worker.
    await expect.poll(listeners).toBe(4);

    proxy.leadTo(silent.port);
    await sentinel.primary.admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    // They, and the client of the app, ask for the primary.
    await expect.poll(() => silent.sourcePorts.size).toBeGreaterThanOrEqual(5);
    await sentinel.failOver();
    await expect.poll(listeners).toBe(0);
    proxy.leadTo(sentinel.port);
    silent.refuse();

    await expect.poll(login).toBe(200);
    await expect.poll(delivery).toBe(204);
    await app.published("webhook.handled", 2);
    expect(await sentinel.replica.admin.dbsize()).toBeGreaterThan(0);
    app.expectNoSecrets();
  });

  test("by a moved address: store and inbox leave the former primary, although it keeps their connections open", async () => {
    // A replica that has nothing to wait for is in step at once.
    const settings = ["--repl-diskless-sync-delay", "0"];
    const former = await startRedis({ settings });
    const next = await startRedis({ settings: [...settings, "--replicaof", "127.0.0.1", `${former.port}`] });
    const proxy = await startTcpProxy(former.port);
    onTestFinished(async () => void (await Promise.all([former.stop(), next.stop(), proxy.close()])));
    await expect.poll(() => next.admin.info("replication")).toContain("master_link_status:up");
    const client = new Redis({ port: proxy.port, host: "127.0.0.1", retryStrategy: () => 20 });
    client.on("error", () => undefined);
    onTestFinished(() => client.disconnect());
    const [store, inbox] = [createRedisStore({ client }), createBullInbox({ client })];
    onTestFinished(async () => void (await Promise.all([store.close?.(), inbox.close()])));
    const app = await openApp(host, { store, webhooks: { inbox } });
    expect((await app.deliver(queued)).status).toBe(204);
    proxy.leadTo(next.port);
    await next.admin.replicaof("NO", "ONE");
    await former.admin.replicaof("127.0.0.1", next.port);

    await expect.poll(async () => (await app.open().post("/login/start", { phone })).status).toBe(200);
    await expect.poll(async () => (await app.deliver(sent)).status).toBe(204);
    expect(await next.admin.exists(`{doorcode}:webhooks:${keysOf([sent])[0]}`)).toBe(1);
    app.expectNoSecrets();
  });
});
