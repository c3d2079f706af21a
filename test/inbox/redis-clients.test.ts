import { once } from "node:events";
import { createBullInbox, createRedisStore } from "@doorcode/redis";
import { Cluster, Redis } from "ioredis";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isInstalled, startRedis, startRedisCluster } from "../support/redis-server.ts";
import { createJournal } from "./journal.ts";

const onRedis = test.skipIf(!isInstalled("redis-server"));
const key = "a".repeat(64);

async function setUpServer() {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  return server;
}

function clientOf(url: string, options = {}): Redis {
  const client = new Redis(url, { retryStrategy: () => 20, ...options });
  client.on("error", () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

/** Adds an event, has it handled, and answers what was taken. */
async function pass(inbox: ReturnType<typeof createBullInbox>): Promise<readonly string[]> {
  const taken = createJournal<string>();
  await inbox.add({ key, body: "body" });
  const handle = async (entry: { readonly body: string }) => {
    taken.note(entry.body);
    return { action: "complete" } as const;
  };
  const worker = await inbox.work(handle, { concurrency: 2, onError: () => undefined });
  await taken.reached(() => true);
  await worker.stop({ limitSeconds: 5 });
  await inbox.close();
  return taken.entries;
}

describe.skipIf(!isInstalled("redis-server"))("the app's client", () => {
  test("may be a cluster: all keys of the queue are on one node", async () => {
    const cluster = await startRedisCluster();
    const client = new Cluster(cluster.nodes.map(({ port }) => ({ port, host: "127.0.0.1" })));
    client.on("error", () => undefined);
    onTestFinished(async () => {
      client.disconnect();
      await cluster.stop();
    });
    expect(await pass(createBullInbox({ client }))).toEqual(["body"]);
  });

  test.each([
    { what: "a prefix", options: { keyPrefix: "app:" } },
    {
      what: "few retries and a time-out",
      options: { maxRetriesPerRequest: 1, commandTimeout: 100, socketTimeout: 100 },
    },
    { what: "to be connected", options: { lazyConnect: true } },
    { what: "no offline queue", options: { enableOfflineQueue: false } },
    { what: "numbers as texts, and batches", options: { stringNumbers: true, enableAutoPipelining: true } },
  ])("may have $what of its own", async ({ options }) => {
    const server = await setUpServer();
    expect(await pass(createBullInbox({ client: clientOf(server.url, options) }))).toEqual(["body"]);
    const prefix = "keyPrefix" in options ? "app:{doorcode}:" : "{doorcode}:";
    expect((await server.admin.keys("*")).filter((name) => !name.startsWith(prefix))).toEqual([]);
  });

  test("is not touched: neither its options nor its connection", async () => {
    const server = await setUpServer();
    const client = clientOf(server.url);
    const before = { ...client.options };
    await pass(createBullInbox({ client }));
    expect(client.options).toEqual(before);
    expect(await client.ping()).toBe("PONG");
  });

  test("ends the inbox's connections when it ends", async () => {
    const server = await setUpServer();
    const client = clientOf(server.url);
    const inbox = createBullInbox({ client });
    await inbox.add({ key, body: "body" });
    const ended = once(client, "end");
    client.disconnect();
    await ended;
    await expect(inbox.add({ key: "b".repeat(64), body: "body" })).rejects.toMatchObject({ code: "store_unavailable" });
  });
});

describe.skipIf(!isInstalled("redis-server"))("a Redis that does not take an event", () => {
  test("by silence rejects in time", async () => {
    const server = await setUpServer();
    const inbox = createBullInbox({ client: clientOf(server.url), timeoutSeconds: 1 });
    await inbox.add({ key, body: "body" });
    await server.pause();
    await expect(inbox.add({ key: "b".repeat(64), body: "body" })).rejects.toMatchObject({ code: "store_unavailable" });
    server.resume();
  });

  test("because it is full rejects, and tells neither the body nor the key", async () => {
    const server = await setUpServer();
    const inbox = createBullInbox({ client: clientOf(server.url) });
    await inbox.add({ key, body: "body" });
    await server.admin.config("SET", "maxmemory", "1", "maxmemory-policy", "noeviction");
    const adding = inbox.add({ key: "b".repeat(64), body: "+4915112345678" });
    await expect(adding).rejects.toMatchObject({ code: "store_unavailable" });
    await expect(adding).rejects.not.toThrow(/4915112345678|bbbb/);
  });
});

onRedis("an inbox tells BullMQ with each event for how long it is kept, once it is done or dead", async () => {
  const server = await setUpServer();
  const inbox = createBullInbox({ client: clientOf(server.url) });
  await pass(inbox);
  const job = await server.admin.hget(`{doorcode}:webhooks:${key}`, "opts");
  expect(JSON.parse(job ?? "{}")).toMatchObject({ removeOnComplete: { age: 7200 }, removeOnFail: { age: 1_209_600 } });
});

test.each<[string, unknown]>([
  ["client", { client: {} }],
  ["name", { name: "a:b" }],
  ["prefix", { prefix: 1 }],
  ["keepSeconds", { keepSeconds: 60 }],
  ["keepSeconds", { keepSeconds: 7200.5 }],
  ["keepSeconds", { keepSeconds: Number.POSITIVE_INFINITY }],
  ["keepSeconds", { keepSeconds: 31_536_001 }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: 0 }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: "60" }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: 31_536_001 }],
  ["takeOverSeconds", { takeOverSeconds: 0 }],
  ["takeOverSeconds", { takeOverSeconds: "15" }],
  ["timeoutSeconds", { timeoutSeconds: 4 }],
  ["timeoutSeconds", { timeoutSeconds: "2" }],
  ["clock", { clock: Date }],
])("refuses a wrong %s, and says what it expected: %o", (option, options) => {
  const given = Object.assign({ client: new Redis({ lazyConnect: true }) }, options);
  const create = () => Reflect.apply(createBullInbox, undefined, [given]);
  expect(create).toThrow(TypeError);
  expect(create).toThrow(new RegExp(`createBullInbox: ${option} must`));
});

test("refuses options that there are not, and none at all", () => {
  const client = new Redis({ lazyConnect: true });
  const create = (...options: readonly unknown[]) => Reflect.apply(createBullInbox, undefined, options);
  expect(() => create({ client, keepsSeconds: 7200 })).toThrow(/Unrecognized key: "keepsSeconds".*keepSeconds/);
  expect(() => create()).toThrow(/createBullInbox: options must be an object/);
});

onRedis("an inbox that was closed says so to whoever asks it", async () => {
  const server = await setUpServer();
  const inbox = createBullInbox({ client: clientOf(server.url) });
  await inbox.add({ key, body: "body" });
  await inbox.close();
  const handle = async () => ({ action: "complete" }) as const;
  for (const asked of [
    inbox.add({ key, body: "" }),
    inbox.deadLetters(1),
    inbox.replay(key),
    inbox.work(handle, { concurrency: 1, onError: () => undefined }),
  ]) {
    await expect(asked).rejects.toThrow(new TypeError("The inbox was closed: create another."));
  }
  await inbox.close();
});

onRedis("twenty stores and inboxes of one client are no leak, and end with it", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => warned.mockRestore());
  const server = await setUpServer();
  const client = clientOf(server.url);
  const stores = Array.from({ length: 20 }, () => createRedisStore({ client }));
  const inboxes = Array.from({ length: 20 }, () => createBullInbox({ client }));
  await Promise.all([...stores.map((store) => store.get(["key"])), ...inboxes.map((inbox) => inbox.deadLetters(1))]);
  expect(warned.mock.calls).toEqual([]);
  expect(client.listenerCount("end")).toBe(1);

  const ended = once(client, "end");
  client.disconnect();
  await ended;
  const connections = async () => String(await server.admin.client("LIST")).match(/name=doorcode/g);
  await expect.poll(connections, { timeout: 10_000, interval: 20 }).toBeNull();
  expect(client.listenerCount("end")).toBe(0);
});
