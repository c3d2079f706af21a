import { once } from "node:events";
import { createManualClock } from "@doorcode/core/testing";
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

/** Adds an event and has it handled. Returns the bodies that the handler got. */
async function handleOne(inbox: ReturnType<typeof createBullInbox>): Promise<readonly string[]> {
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

describe.skipIf(!isInstalled("redis-server"))("the client of the app", () => {
  test("may be a cluster client: all keys of the queue are on one node", async () => {
    const cluster = await startRedisCluster();
    const client = new Cluster(cluster.nodes.map(({ port }) => ({ port, host: "127.0.0.1" })));
    client.on("error", () => undefined);
    onTestFinished(async () => {
      client.disconnect();
      await cluster.stop();
    });
    expect(await handleOne(createBullInbox({ client }))).toEqual(["body"]);
  });

  test.each([
    { what: "a prefix", options: { keyPrefix: "app:" } },
    {
      what: "few retries and a timeout",
      options: { maxRetriesPerRequest: 1, commandTimeout: 100, socketTimeout: 100 },
    },
    { what: "a lazy connection", options: { lazyConnect: true } },
    { what: "no offline queue", options: { enableOfflineQueue: false } },
    { what: "numbers as strings, and batches", options: { stringNumbers: true, enableAutoPipelining: true } },
  ])("may have $what", async ({ options }) => {
    const server = await setUpServer();
    expect(await handleOne(createBullInbox({ client: clientOf(server.url, options) }))).toEqual(["body"]);
    const prefix = "keyPrefix" in options ? "app:{doorcode}:" : "{doorcode}:";
    expect((await server.admin.keys("*")).filter((name) => !name.startsWith(prefix))).toEqual([]);
  });

  test("keeps its options and its connection", async () => {
    const server = await setUpServer();
    const client = clientOf(server.url);
    const before = { ...client.options };
    await handleOne(createBullInbox({ client }));
    expect(client.options).toEqual(before);
    expect(await client.ping()).toBe("PONG");
  });

  test("ends the connections of the inbox when it ends", async () => {
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

/** No server listens at this address. */
const nowhere = { host: "127.0.0.1", port: 1 };

test.each<[string, () => Redis | Cluster]>([
  ["a client for one server", () => new Redis({ ...nowhere, retryStrategy: () => 50 })],
  ["a cluster client", () => new Cluster([nowhere], { clusterRetryStrategy: () => 50 })],
])(
  "%s that the app ends between two attempts to connect ends the connections of store and inbox",
  async (_, create) => {
    const client = create();
    client.on("error", () => undefined);
    createRedisStore({ client });
    const inbox = createBullInbox({ client, timeoutSeconds: 0.1 });
    const worker = inbox.work(async () => ({ action: "complete" }), { concurrency: 1, onError: () => undefined });
    await new Promise((resolve) => client.once("reconnecting", resolve));
    client.disconnect();
    // There is one listener for as long as a connection of the kit has not ended.
    expect(client.listenerCount("end")).toBe(1);
    await expect.poll(() => client.listenerCount("end")).toBe(0);
    await (await worker).stop({ limitSeconds: 0 });
  },
);

/** Opens a client of a cluster of its own. */
async function openCluster() {
  const cluster = await startRedisCluster();
  const client = new Cluster(
    cluster.nodes.map(({ port }) => ({ port, host: "127.0.0.1" })),
    { clusterRetryStrategy: () => 20 },
  );
  client.on("error", () => undefined);
  onTestFinished(async () => {
    client.disconnect();
    await cluster.stop();
  });
  const names = async () => (await Promise.all(cluster.nodes.map(({ admin }) => admin.client("LIST")))).join("");
  return { client, names };
}

async function openSingle() {
  const server = await setUpServer();
  return { client: clientOf(server.url), names: async () => String(await server.admin.client("LIST")) };
}

test("a worker whose cluster client gives up while it waits for the cluster ends, instead of keeping the event loop busy", async () => {
  let hasGivenUp = false;
  const client = new Cluster([nowhere], { clusterRetryStrategy: () => (hasGivenUp ? null : 20) });
  client.on("error", () => undefined);
  const clock = createManualClock();
  const inbox = createBullInbox({ client, clock });
  const errors: unknown[] = [];
  const onError = (error: unknown) => {
    errors.push(error);
    // Without this, the test would not fail but stand still.
    if (errors.length > 1000) throw new Error("The worker reports the same error without end.");
  };
  const starting = inbox.work(async () => ({ action: "complete" }), { concurrency: 1, onError });
  await clock.advance(2000);
  const worker = await starting;
  hasGivenUp = true;
  await expect.poll(() => client.listenerCount("end")).toBe(0);
  await worker.stop({ limitSeconds: 0 });
  await inbox.close();
  expect(errors.length).toBeLessThan(1000);
});

describe.skipIf(!isInstalled("redis-server"))("connections of the kit", () => {
  test.each<[string, () => Promise<{ client: Redis | Cluster; names: () => Promise<string> }>]>([
    ["a client for one server", openSingle],
    ["a cluster client", openCluster],
  ])("end with %s, also those of a worker that waits for events", async (_, open) => {
    const { client, names } = await open();
    const inbox = createBullInbox({ client });
    const worker = await inbox.work(async () => ({ action: "complete" }), { concurrency: 1, onError: () => undefined });
    await expect.poll(async () => (await names()).includes("cmd=bzpopmin")).toBe(true);
    client.disconnect();
    await expect.poll(async () => /name=doorcode|cmd=bzpopmin/.test(await names())).toBe(false);
    await worker.stop({ limitSeconds: 0 });
    await inbox.close();
  });

  test.each([
    { when: "at once", failures: 0 },
    { when: "after a failed attempt", failures: 2 },
  ])(
    "come back $when with a cluster client that seemed to have ended, because its sockets took long to close",
    async ({ failures }) => {
      const { client } = await openCluster();
      const store = createRedisStore({ client });
      const inbox = createBullInbox({ client });
      const commands = () => Promise.all([store.get(["key"]), inbox.deadLetters(1)]);
      const outcome = () =>
        commands().then(
          () => "answered",
          (error) => error.code,
        );
      expect(await outcome()).toBe("answered");
      failToConnect(client, failures);
      // A node without a socket would end at once, and the client with it.
      await Promise.all(client.nodes("all").map((node) => node.ping()));
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      client.disconnect(true);
      await new Promise(process.nextTick);
      // No socket can close while these seconds pass: the event loop does not turn.
      vi.advanceTimersByTime(2500);
      vi.useRealTimers();
      expect(await outcome()).toBe("store_unavailable");
      await expect.poll(outcome).toBe("answered");
      expect([client.listenerCount("end"), client.listenerCount("ready")]).toEqual([1, 0]);
    },
  );
});

/** Makes the next attempts of other clients to connect fail. */
function failToConnect(client: Cluster, failures: number): void {
  const { connect } = Cluster.prototype;
  let left = failures;
  const spy = vi.spyOn(Cluster.prototype, "connect").mockImplementation(function (this: Cluster) {
    if (this !== client && left-- > 0) return Promise.reject(new Error("The test lets this attempt fail."));
    return connect.call(this);
  });
  onTestFinished(() => void spy.mockRestore());
}

describe.skipIf(!isInstalled("redis-server"))("a Redis that cannot store an event", () => {
  test("because it does not reply, makes add reject in time", async () => {
    const server = await setUpServer();
    const clock = createManualClock();
    const inbox = createBullInbox({ client: clientOf(server.url), clock });
    await inbox.add({ key, body: "body" });
    await server.pause();
    const adding = inbox.add({ key: "b".repeat(64), body: "body" });
    const rejected = expect(adding).rejects.toMatchObject({ code: "store_unavailable" });
    await clock.advance(2000);
    await rejected;
    server.resume();
  });

  test("because it is full, makes add reject without the body or the key in the error", async () => {
    const server = await setUpServer();
    const inbox = createBullInbox({ client: clientOf(server.url) });
    await inbox.add({ key, body: "body" });
    await server.admin.config("SET", "maxmemory", "1", "maxmemory-policy", "noeviction");
    const adding = inbox.add({ key: "b".repeat(64), body: "+4915112345678" });
    await expect(adding).rejects.toMatchObject({ code: "store_unavailable" });
    await expect(adding).rejects.not.toThrow(/4915112345678|bbbb/);
  });
});

onRedis("an inbox tells BullMQ how long to keep an event after it was handled or became a dead letter", async () => {
  const server = await setUpServer();
  const inbox = createBullInbox({ client: clientOf(server.url) });
  await handleOne(inbox);
  const job = await server.admin.hget(`{doorcode}:webhooks:${key}`, "opts");
  expect(JSON.parse(job ?? "{}")).toMatchObject({ removeOnComplete: { age: 7200 }, removeOnFail: { age: 1_209_600 } });
});

onRedis(
  "a dead letter that is older than `keepDeadLettersSeconds`, even 1, goes with the next dead letter",
  async () => {
    const server = await setUpServer();
    const inbox = createBullInbox({ client: clientOf(server.url), keepDeadLettersSeconds: 1 });
    const error = { name: "Error", code: undefined, message: "" };
    const handle = async () => ({ action: "dead_letter", error }) as const;
    const worker = await inbox.work(handle, { concurrency: 1, onError: () => undefined });
    const keys = async () => (await inbox.deadLetters(10)).map((deadLetter) => deadLetter.key);
    await inbox.add({ key, body: "" });
    await expect.poll(keys).toEqual([key]);
    // A second and a half passes.
    await server.admin.zincrby("{doorcode}:webhooks:failed", -1500, key);
    expect(await keys()).toEqual([key]);
    await inbox.add({ key: "b".repeat(64), body: "" });
    await expect.poll(keys).toEqual(["b".repeat(64)]);
    await worker.stop({ limitSeconds: 5 });
    await inbox.close();
  },
);

test.each<[string, unknown]>([
  ["client", { client: {} }],
  ["name", { name: "a:b" }],
  ["prefix", { prefix: 1 }],
  ["keepSeconds", { keepSeconds: 60 }],
  ["keepSeconds", { keepSeconds: 7200.5 }],
  ["keepSeconds", { keepSeconds: Number.POSITIVE_INFINITY }],
  ["keepSeconds", { keepSeconds: 31_536_001 }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: 0 }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: 1.5 }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: "60" }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: 31_536_001 }],
  ["takeOverSeconds", { takeOverSeconds: 0 }],
  ["takeOverSeconds", { takeOverSeconds: "15" }],
  ["timeoutSeconds", { timeoutSeconds: 4 }],
  ["timeoutSeconds", { timeoutSeconds: "2" }],
  ["clock", { clock: Date }],
])("rejects a wrong %s, and names the expectation: %o", (option, options) => {
  const given = Object.assign({ client: new Redis({ lazyConnect: true }) }, options);
  const create = () => Reflect.apply(createBullInbox, undefined, [given]);
  expect(create).toThrow(TypeError);
  expect(create).toThrow(new RegExp(`createBullInbox: ${option}[.a-z]*: expected`));
});

test("rejects unknown options, and missing options", () => {
  const client = new Redis({ lazyConnect: true });
  const create = (...options: readonly unknown[]) => Reflect.apply(createBullInbox, undefined, options);
  expect(() => create({ client, keepsSeconds: 7200 })).toThrow(
    /createBullInbox: options: unknown option keepsSeconds; .*keepSeconds/,
  );
  expect(() => create()).toThrow(/createBullInbox: options: expected an object such as { client/);
});

onRedis("every function of a closed inbox rejects and says so", async () => {
  const server = await setUpServer();
  const inbox = createBullInbox({ client: clientOf(server.url) });
  await inbox.add({ key, body: "body" });
  await inbox.close();
  const handle = async () => ({ action: "complete" }) as const;
  for (const call of [
    inbox.add({ key, body: "" }),
    inbox.deadLetters(1),
    inbox.replay(key),
    inbox.work(handle, { concurrency: 1, onError: () => undefined }),
  ]) {
    await expect(call).rejects.toThrow(new TypeError("The inbox was closed: create another."));
  }
  await inbox.close();
});

onRedis("twenty stores and inboxes of one client cause no leak warning, and end with it", async () => {
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
  await expect.poll(connections).toBeNull();
  expect(client.listenerCount("end")).toBe(0);
});
