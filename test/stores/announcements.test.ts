import { randomUUID } from "node:crypto";
import type { StoreChanges } from "@doorcode/core/store";
import { createManualClock } from "@doorcode/core/testing";
import { createPostgresStore, migrate } from "@doorcode/postgres";
import { createRedisStore } from "@doorcode/redis";
import { Cluster, Redis } from "ioredis";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findPostgres } from "../support/postgres-server.ts";
import { type RedisSentinel, startRedisSentinel } from "../support/redis-sentinel.ts";
import {
  isInstalled,
  type RedisCluster,
  type RedisServer,
  startRedis,
  startRedisCluster,
} from "../support/redis-server.ts";

/** A listener that counts its calls. */
function listenTo(changes: StoreChanges | undefined, ...topics: readonly string[]) {
  if (!changes) return expect.fail("The store announces nothing.");
  let calls = 0;
  const stop = changes.listen(topics, () => void calls++);
  onTestFinished(stop);
  return {
    stop,
    calls: () => calls,
    called: (count: number) => expect.poll(() => calls).toBeGreaterThanOrEqual(count),
  };
}

/** Announces in one process what another one listens to. */
async function expectHeard(announcing: StoreChanges | undefined, listening: StoreChanges | undefined): Promise<void> {
  const topic = randomUUID();
  const listener = listenTo(listening, topic);
  await listener.called(1);
  await announcing?.announce([topic]);
  await listener.called(2);
  listener.stop();
}

describe.skipIf(!isInstalled("redis-server"))("announcements on Redis", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  function connect(
    options: { readonly prefix?: string; readonly keyPrefix?: string; readonly lazyConnect?: boolean } = {},
  ) {
    const { prefix = "", ...ofClient } = options;
    const clock = createManualClock();
    const client = new Redis(server.url, { retryStrategy: () => 20, ...ofClient });
    client.on("error", () => undefined);
    onTestFinished(() => client.disconnect());
    const { changes } = createRedisStore({ client, prefix, clock });
    return { client, clock, changes };
  }

  /** The connections that listen. */
  async function subscribers(): Promise<readonly string[]> {
    const list = String(await server.admin.client("LIST"));
    return [...list.matchAll(/^id=(\d+) .*name=doorcode-changes/gm)].map(([, id = ""]) => id);
  }

  test("are heard by another process, below the prefixes of client and store", async () => {
    const options = { prefix: "app:", keyPrefix: "all:" };
    const [one, other] = [connect(options), connect({ ...options, lazyConnect: true })];
    await expectHeard(one.changes, other.changes);
    const stranger = connect({ prefix: "stranger:", keyPrefix: "all:" });
    const topic = randomUUID();
    const listener = listenTo(other.changes, topic);
    await listener.called(1);
    await stranger.changes?.announce([topic]);
    expect(await server.admin.pubsub("CHANNELS", "*")).toEqual([`all:app:${topic}`]);
    expect(listener.calls()).toBe(1);
  });

  test("take one connection from the first listener until ten seconds after the last", async () => {
    const { changes, clock } = connect();
    await expect.poll(subscribers).toEqual([]);
    const [first, second] = [listenTo(changes, "a", "b"), listenTo(changes, "b")];
    await first.called(1);
    await second.called(1);
    const [id] = await subscribers();
    first.stop();
    await expect.poll(() => server.admin.pubsub("CHANNELS", "*")).toEqual(["b"]);
    second.stop();
    await clock.advance(9000);
    await expect.poll(() => server.admin.pubsub("CHANNELS", "*")).toEqual([]);
    const third = listenTo(changes, "c");
    await third.called(1);
    expect(await subscribers()).toEqual([id]);
    third.stop();
    await clock.advance(10_000);
    await expect.poll(subscribers).toEqual([]);
    expect(clock.pending).toBe(0);
    await listenTo(changes, "d").called(1);
  });

  test("are heard again after the connection was lost, and its listeners are called, since they may have missed one", async () => {
    const [one, other] = [connect(), connect()];
    const listener = listenTo(other.changes, "topic");
    await listener.called(1);
    const [id = ""] = await subscribers();
    const before = listener.calls();
    await server.admin.client("KILL", "ID", id);
    await listener.called(before + 1);
    const since = listener.calls();
    await one.changes?.announce(["topic"]);
    await listener.called(since + 1);
  });

  test("leave no connection when the client of the app ends", async () => {
    const { changes, client, clock } = connect();
    await listenTo(changes, "topic").called(1);
    client.disconnect();
    await expect.poll(subscribers).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test("of many topics are one command", async () => {
    const { changes } = connect();
    const topics = Array.from({ length: 50 }, () => randomUUID());
    const listener = listenTo(connect().changes, ...topics);
    await listener.called(1);
    // The first announcement sends the script.
    await changes?.announce(["another topic"]);
    const commands = async () => {
      const stats = await server.admin.info("commandstats");
      return ["evalsha", "publish"].map((name) => Number(stats.match(`cmdstat_${name}:calls=(\\d+)`)?.[1] ?? 0));
    };
    const [scripts = 0, published = 0] = await commands();
    const before = listener.calls();
    await changes?.announce(topics);
    await listener.called(before + topics.length);
    expect(await commands()).toEqual([scripts + 1, published + topics.length]);
  });

  test("reach those whose topic is permitted, although another one is not", async () => {
    await server.admin.acl("SETUSER", "half", "reset", "on", ">secret", "~*", "+@all", "resetchannels", "&good");
    const { port } = new URL(server.url);
    const client = new Redis({ host: "127.0.0.1", port: Number(port), username: "half", password: "secret" });
    onTestFinished(() => client.disconnect());
    const ignoreWarning = () => undefined;
    process.on("warning", ignoreWarning);
    onTestFinished(() => void process.removeListener("warning", ignoreWarning));
    const listener = listenTo(connect().changes, "good");
    await listener.called(1);
    await createRedisStore({ client }).changes?.announce(["bad", "good"]);
    await listener.called(2);
  });

  test("without permission cause a warning, once", async () => {
    await server.admin.acl("SETUSER", "mute", "reset", "on", ">secret", "~*", "+@all", "resetchannels");
    const { port } = new URL(server.url);
    const client = new Redis({ host: "127.0.0.1", port: Number(port), username: "mute", password: "secret" });
    onTestFinished(() => client.disconnect());
    const { changes } = createRedisStore({ client });
    const warnings: Error[] = [];
    const listener = (warning: Error) => void warnings.push(warning);
    process.on("warning", listener);
    onTestFinished(() => void process.removeListener("warning", listener));
    listenTo(changes, "doorcode:topic");
    await changes?.announce(["doorcode:topic"]);
    await expect.poll(() => warnings.length).toBeGreaterThan(0);
    for (let times = 0; times < 2; times++) await changes?.announce(["doorcode:topic"]);
    await new Promise(setImmediate);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ code: "redis_changes", message: expect.stringContaining("&doorcode:*") });
  });
});

describe.skipIf(!isInstalled("redis-server"))("announcements on a cluster of Redis", { timeout: 60_000 }, () => {
  test("are heard by a process that is connected to another node, also after the node of its subscription was lost", async () => {
    const cluster: RedisCluster = await startRedisCluster();
    onTestFinished(() => cluster.stop());
    const stores = cluster.nodes.slice(0, 2).map(({ port }) => {
      const client = new Cluster([{ host: "127.0.0.1", port }], { clusterRetryStrategy: () => 20 });
      client.on("error", () => undefined);
      onTestFinished(() => client.disconnect());
      return createRedisStore({ client });
    });
    const [one, other] = stores.map(({ changes }) => changes);
    await expectHeard(one, other);
    await expectHeard(other, one);
    const listener = listenTo(other, "topic");
    await listener.called(1);
    for (const { admin } of cluster.nodes) await admin.call("CLIENT", "KILL", "TYPE", "pubsub");
    const heard = async () => {
      await one?.announce(["topic"]);
      return listener.calls();
    };
    const before = listener.calls();
    await expect.poll(heard).toBeGreaterThan(before);
  });
});

describe.skipIf(!isInstalled("redis-server"))("announcements under Sentinel", { timeout: 60_000 }, () => {
  test("are heard at the new primary after a failover", async () => {
    const sentinel: RedisSentinel = await startRedisSentinel();
    onTestFinished(sentinel.stop);
    const [one, other] = [1, 2].map(() => {
      const client = new Redis({ sentinels: [{ host: "127.0.0.1", port: sentinel.port }], name: sentinel.name });
      client.on("error", () => undefined);
      onTestFinished(() => client.disconnect());
      return createRedisStore({ client }).changes;
    });
    await expectHeard(one, other);
    const listener = listenTo(other, "topic");
    await listener.called(1);
    await sentinel.failOver();
    await sentinel.tellFormerPrimary();
    const before = listener.calls();
    // The listener is called once for the new connection, and once for the announcement.
    const heard = async () => {
      await one?.announce(["topic"]).catch(() => undefined);
      return listener.calls();
    };
    await expect.poll(heard).toBeGreaterThan(before + 1);
  });
});

const postgres = await findPostgres();
afterAll(() => postgres?.close());

describe.skipIf(!postgres)("announcements on PostgreSQL", () => {
  const url = postgres?.url ?? "";
  const schema = `doorcode_test_${randomUUID().replaceAll("-", "")}`;
  const admin = new Pool({ connectionString: url, max: 2 });
  beforeAll(() => migrate(admin, { schema }));
  afterAll(async () => {
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  });

  function connect({ max = 5 } = {}) {
    const pool = new Pool({ connectionString: url, max, application_name: randomUUID() });
    pool.on("error", () => undefined);
    onTestFinished(async () => {
      if (!pool.ending) await pool.end();
    });
    const store = createPostgresStore({ pool, schema, timeoutSeconds: 20 });
    return { pool, store, changes: store.changes };
  }

  test("are heard by another process, and only below the same table", async () => {
    const [one, other] = [connect(), connect()];
    await expectHeard(one.changes, other.changes);
    await migrate(admin, { schema, table: "another_table" });
    const pool = new Pool({ connectionString: url });
    onTestFinished(() => pool.end());
    const stranger = createPostgresStore({ pool, schema, table: "another_table" });
    const listener = listenTo(other.changes, "topic");
    await listener.called(1);
    await stranger.changes?.announce(["topic"]);
    await one.changes?.announce(["topic"]);
    await listener.called(2);
    expect(listener.calls()).toBe(2);
  });

  test("take one connection while somebody listens, and give it back without a subscription", async () => {
    const { pool, changes } = connect();
    const [first, second] = [listenTo(changes, "a"), listenTo(changes, "b")];
    await first.called(1);
    await second.called(1);
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 0]);
    first.stop();
    second.stop();
    await expect.poll(() => pool.idleCount).toBe(1);
    const { rows } = await pool.query("SELECT pg_listening_channels() AS channel");
    expect([rows, pool.totalCount]).toEqual([[], 1]);
    const third = listenTo(changes, "c");
    await third.called(1);
    await changes?.announce(["c"]);
    await third.called(2);
  });

  test("leave nothing on a connection of the pool that a later user would see", async () => {
    const { pool, changes } = connect({ max: 3 });
    const listener = listenTo(changes, "a");
    await listener.called(1);
    listener.stop();
    await expect.poll(() => pool.idleCount).toBe(1);
    const client = await pool.connect();
    expect(["notification", "end"].map((event) => client.listenerCount(event))).toEqual([0, 0]);
    client.release();
  });

  test("are heard again after the connection was lost, and its listeners are called, since they may have missed one", async () => {
    const [one, other] = [connect(), connect()];
    const listener = listenTo(other.changes, "topic");
    await listener.called(1);
    const { application_name: name } = other.pool.options;
    await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [name]);
    await listener.called(2);
    const before = listener.calls();
    await one.changes?.announce(["topic"]);
    await listener.called(before + 1);
  });

  test("let a pool end while somebody listens", async () => {
    const { pool, changes } = connect();
    const listener = listenTo(changes, "topic");
    await listener.called(1);
    await pool.end();
    expect(pool.totalCount).toBe(0);
  });

  test("are left out on a pool that has no connection to spare", () => {
    expect(connect({ max: 2 }).changes).toBeUndefined();
    expect(connect({ max: 3 }).changes).toBeDefined();
    const { pool } = connect();
    expect(createPostgresStore({ pool, announcements: false }).changes).toBeUndefined();
  });

  test("have a channel whose name PostgreSQL does not cut, even below the longest names", async () => {
    const [longSchema, table] = ["s".repeat(50), "t".repeat(50)];
    const { pool } = connect();
    const { changes } = createPostgresStore({ pool, schema: longSchema, table });
    await listenTo(changes, "topic").called(1);
    const { rows } = await admin.query("SELECT query FROM pg_stat_activity WHERE application_name = $1", [
      pool.options.application_name,
    ]);
    expect(rows[0]?.query).toMatch(/^LISTEN doorcode_[0-9a-f]{40}$/);
  });
});
