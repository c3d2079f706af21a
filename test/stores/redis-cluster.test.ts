import type { Store } from "@doorcode/core/store";
import { createManualClock } from "@doorcode/core/testing";
import { createRedisStore } from "@doorcode/redis";
import { Cluster, Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { isInstalled, type RedisCluster, startRedisCluster } from "../support/redis-server.ts";
import { passRedisTime } from "../support/redis-time.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { testClockSkew, testConformance, testConnectionLoss, testLifetimes, type WiredStore } from "./conformance.ts";

const minute = { ttlSeconds: 60 };

test.skipIf(!isInstalled("redis-server"))(
  "a client for one server may reach a cluster, as through a proxy",
  async () => {
    const { nodes, stop } = await startRedisCluster(1);
    onTestFinished(stop);
    const client = new Redis(nodes[0]?.url ?? "");
    const store = createRedisStore({ client });
    onTestFinished(async () => {
      client.disconnect();
      await store.close?.();
    });
    const changes = ["a", "b", "c"].map((key) => ({ key, by: 1, ...minute }));
    const counts = async () => (await store.increment(changes)).map(({ count }) => count);
    expect(await counts()).toEqual([1, 1, 1]);
    expect(await counts()).toEqual([2, 2, 2]);
    expect(await nodes[0]?.admin.info("errorstats")).not.toContain("CROSSSLOT");
  },
);

describe.skipIf(!isInstalled("redis-server"))("the store on a cluster of three", () => {
  let cluster: RedisCluster;
  let client: Cluster;
  let store: Store;
  beforeAll(async () => {
    cluster = await startRedisCluster();
    client = new Cluster(cluster.nodes.map(({ port }) => ({ host: "127.0.0.1", port })));
    store = createRedisStore({ client });
  });
  afterAll(async () => {
    client.disconnect();
    await store.close?.();
    await cluster.stop();
  });

  async function keysPerNode(): Promise<readonly (readonly string[])[]> {
    return Promise.all(cluster.nodes.map(({ admin }) => admin.keys("*")));
  }

  const setup = {
    store: () => store,
    async advance(milliseconds: number) {
      await Promise.all(cluster.nodes.map(({ admin }) => passRedisTime(admin, "*", milliseconds)));
    },
  };
  testConformance(setup);
  testClockSkew(setup);
  testLifetimes(async () => {
    const nodes = await Promise.all(
      cluster.nodes.map(async ({ admin }) => Promise.all((await admin.keys("*")).map((key) => admin.pttl(key)))),
    );
    return nodes.flat();
  });
  testConnectionLoss(openProxied);

  /** Connects a store that reaches each node through a proxy. */
  async function openProxied(): Promise<WiredStore> {
    const proxies = await Promise.all(cluster.nodes.map(({ port }) => startTcpProxy(port)));
    const addresses = proxies.map(({ port }) => ({ host: "127.0.0.1", port }));
    // The cluster announces the addresses of its nodes, not those of the proxies.
    const natMap = Object.fromEntries(
      cluster.nodes.flatMap((node, index) => {
        const address = addresses[index];
        return address ? [[`127.0.0.1:${node.port}`, address]] : [];
      }),
    );
    const client = new Cluster(addresses, { natMap, clusterRetryStrategy: () => 20 });
    const clock = createManualClock();
    const store = createRedisStore({ client, clock });
    onTestFinished(async () => {
      client.disconnect();
      await store.close?.();
      await Promise.all(proxies.map((proxy) => proxy.close()));
    });
    await store.get(["connected"]);
    return { store, proxies, clock };
  }

  test("accepts lists whose keys are on different nodes, and answers in order", async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `list ${index}`);
    const before = (await keysPerNode()).map((node) => node.length);
    await store.increment(keys.map((key, index) => ({ key, by: index + 1, ...minute })));
    const after = (await keysPerNode()).map((node) => node.length);
    const counters = await store.increment(keys.map((key) => ({ key, by: 0, ...minute })));

    expect(after.every((count, node) => count > (before[node] ?? 0))).toBe(true);
    expect(counters.map(({ count }) => count)).toEqual(keys.map((_, index) => index + 1));
    const errors = await Promise.all(cluster.nodes.map(({ admin }) => admin.info("errorstats")));
    expect(errors.join()).not.toContain("CROSSSLOT");
  });

  test("follows a slot that has moved to another node, also in a list whose other keys have not moved", async () => {
    const moving = "moving";
    const changes = [moving, ...Array.from({ length: 20 }, (_, index) => `staying ${index}`)].map((key) => ({
      key,
      by: 1,
      ...minute,
    }));
    await store.increment(changes);
    const [from, to] = await moveSlotOf(moving);
    const counters = await store.increment(changes);

    expect(from).not.toBe(to);
    expect(counters.map(({ count }) => count)).toEqual(changes.map(() => 2));
  });

  /** Moves the slot of a key, with all its keys, from one node to another. */
  async function moveSlotOf(key: string): Promise<readonly [from: string, to: string]> {
    const [first] = cluster.nodes;
    const slot = Number(await first?.admin.cluster("KEYSLOT", key));
    const owners = await Promise.all(
      cluster.nodes.map(async (node) => ((await node.admin.keys(key)).length === 1 ? node : undefined)),
    );
    const source = owners.find((node) => node !== undefined);
    const target = cluster.nodes.find((node) => node !== source);
    if (!source || !target) throw new Error("The key is on no node.");
    const [sourceId, targetId] = [
      String(await source.admin.cluster("MYID")),
      String(await target.admin.cluster("MYID")),
    ];
    await target.admin.cluster("SETSLOT", slot, "IMPORTING", sourceId);
    await source.admin.cluster("SETSLOT", slot, "MIGRATING", targetId);
    const moving = (await source.admin.cluster("GETKEYSINSLOT", slot, 100)) as readonly string[];
    for (const name of moving) await source.admin.migrate("127.0.0.1", target.port, name, 0, 1000);
    for (const { admin } of [target, source, ...cluster.nodes]) await admin.cluster("SETSLOT", slot, "NODE", targetId);
    return [sourceId, targetId];
  }

  // The last test, since it kills a node.
  test("rejects commands for a dead node, serves the others, and serves the node again once it is back", async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `alive ${index}`);
    await Promise.all(keys.map((key) => store.increment([{ key, by: 1, ...minute }])));
    const [, , last] = cluster.nodes;
    const lost = new Set(await last?.admin.keys("alive *"));
    for (const { admin } of cluster.nodes) await admin.config("SET", "cluster-require-full-coverage", "no");
    await last?.kill();
    const send = (key: string) =>
      store.increment([{ key, by: 1, ...minute }]).then(
        () => "answered",
        (error) => error.code,
      );
    const outcomes = await Promise.all(keys.map(send));
    await last?.restart();

    expect(lost.size).toBeGreaterThan(0);
    expect(outcomes).toEqual(keys.map((key) => (lost.has(key) ? "store_unavailable" : "answered")));
    await expect.poll(() => Promise.all(keys.map(send))).toEqual(keys.map(() => "answered"));
  });
});
