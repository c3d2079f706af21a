import type { Inbox } from "@doorcode/core/inbox";
import { createManualClock } from "@doorcode/core/testing";
import { type BullInboxOptions, createBullInbox, createRedisStore } from "@doorcode/redis";
import { Cluster, Redis } from "ioredis";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openRedis } from "../stores/redis-setup.ts";
import { isInstalled, startRedisCluster } from "../support/redis-server.ts";
import { createJournal } from "./journal.ts";

const onRedis = test.skipIf(!isInstalled("redis-server"));
const key = "a".repeat(64);

function clientOf(url: string, options = {}): Redis {
  const client = new Redis(url, { retryStrategy: () => 20, ...options });
  client.on("error", () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

/** Opens an inbox. It is closed when the test is over. */
function openInbox(options: BullInboxOptions) {
  const inbox = createBullInbox(options);
  onTestFinished(() => inbox.close());
  return inbox;
}

/** Adds an event and has it handled. Returns the bodies that the handler got. */
async function handleOne(inbox: Inbox): Promise<readonly string[]> {
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
    const { client } = await openCluster();
    expect(await handleOne(openInbox({ client }))).toEqual(["body"]);
    const discarding = openInbox({ client });
    // A script whose keys are on different nodes would be refused.
    expect(await discarding.discard(key)).toBe(false);
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
    const server = await openRedis();
    expect(await handleOne(openInbox({ client: clientOf(server.url, options) }))).toEqual(["body"]);
    const prefix = "keyPrefix" in options ? "app:{doorcode}:" : "{doorcode}:";
    expect((await server.admin.keys("*")).filter((name) => !name.startsWith(prefix))).toEqual([]);
  });

  test("keeps its options and its connection", async () => {
    const server = await openRedis();
    const client = clientOf(server.url);
    const before = { ...client.options };
    await handleOne(openInbox({ client }));
    expect(client.options).toEqual(before);
    expect(await client.ping()).toBe("PONG");
  });
});

/** No server listens at this address. */
const nowhere = { host: "127.0.0.1", port: 1 };

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

test("the store reads from primaries alone, also when the app's cluster client reads from replicas", async () => {
  const client = new Cluster([nowhere], { lazyConnect: true, scaleReads: "slave" });
  const duplicate = vi.spyOn(client, "duplicate");
  await createRedisStore({ client }).close?.();
  const [made] = duplicate.mock.results;
  expect(made?.value).toMatchObject({ options: { scaleReads: "master" } });
});

async function openSingle() {
  const server = await openRedis();
  return { client: clientOf(server.url), names: async () => String(await server.admin.client("LIST")) };
}

test("a worker whose cluster client gives up while it waits for the cluster does not keep the event loop busy", async () => {
  let gaveUp = 0;
  let isPatient = true;
  const clusterRetryStrategy = () => (isPatient ? 20 : void gaveUp++);
  const client = new Cluster([nowhere], { clusterRetryStrategy });
  client.on("error", () => undefined);
  const clock = createManualClock();
  const inbox = openInbox({ client, clock });
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const starting = inbox.work(async () => ({ action: "complete" }), { concurrency: 1, onError });
  await clock.advance(2000);
  const worker = await starting;
  isPatient = false;
  // The client of the app, the connection of the inbox, and the two of the worker.
  await expect.poll(() => gaveUp).toBe(4);
  // A busy worker would not fail this test: the test would stand still.
  await clock.advance(5000);
  await worker.stop({ limitSeconds: 0 });
  expect(errors.length).toBeLessThan(1000);
});

test
  .skipIf(!isInstalled("redis-server"))
  .each<[string, () => Promise<{ client: Redis | Cluster; names: () => Promise<string> }>]>([
    ["a client for one server", openSingle],
    ["a cluster client", openCluster],
  ])(
  "close() ends the connections that an inbox has made from %s, also those of a worker that waits for events",
  async (_, open) => {
    const { client, names } = await open();
    const inbox = openInbox({ client });
    await inbox.work(async () => ({ action: "complete" }), { concurrency: 1, onError: () => undefined });
    await expect.poll(async () => (await names()).includes("cmd=bzpopmin")).toBe(true);
    await inbox.close();
    await expect.poll(async () => /name=doorcode|cmd=bzpopmin/.test(await names())).toBe(false);
    expect(await client.get("key")).toBe(null);
  },
);

onRedis("a Redis that is full makes add reject, without the body or the key in the error", async () => {
  const server = await openRedis();
  const inbox = openInbox({ client: clientOf(server.url) });
  await inbox.add({ key, body: "body" });
  await server.admin.config("SET", "maxmemory", "1", "maxmemory-policy", "noeviction");
  const adding = inbox.add({ key: "b".repeat(64), body: "+4915112345678" });
  await expect(adding).rejects.toMatchObject({ code: "store_unavailable" });
  await expect(adding).rejects.not.toThrow(/4915112345678|bbbb/);
});

onRedis("an inbox tells BullMQ how long to keep an event after it was handled or became a dead letter", async () => {
  const server = await openRedis();
  const inbox = openInbox({ client: clientOf(server.url) });
  await handleOne(inbox);
  const job = await server.admin.hget(`{doorcode}:webhooks:${key}`, "opts");
  expect(JSON.parse(job ?? "{}")).toMatchObject({ removeOnComplete: { age: 7200 }, removeOnFail: { age: 1_209_600 } });
});

onRedis(
  "a dead letter that is older than `keepDeadLettersSeconds`, even 1, goes with the next dead letter",
  async () => {
    const server = await openRedis();
    const inbox = openInbox({ client: clientOf(server.url), keepDeadLettersSeconds: 1 });
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

onRedis("twenty stores and inboxes of one client cause no leak warning, and leave no listener on it", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => warned.mockRestore());
  const server = await openRedis();
  const client = clientOf(server.url);
  const before = client.eventNames();
  const stores = Array.from({ length: 20 }, () => createRedisStore({ client }));
  const inboxes = Array.from({ length: 20 }, () => createBullInbox({ client }));
  await Promise.all([...stores.map((store) => store.get(["key"])), ...inboxes.map((inbox) => inbox.deadLetters(1))]);
  // A client that connects again, on a busy machine, has listeners of its own for that.
  await expect.poll(() => client.eventNames()).toEqual(before);
  expect(warned).not.toHaveBeenCalled();

  await Promise.all([...stores, ...inboxes].map((one) => one.close?.()));
  const connections = async () => String(await server.admin.client("LIST")).match(/name=doorcode/g);
  await expect.poll(connections).toBeNull();
});
