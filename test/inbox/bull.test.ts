import type { InboxHandler, TakenEntry } from "@doorcode/core/inbox";
import { createManualClock } from "@doorcode/core/testing";
import { type BullInboxOptions, createBullInbox } from "@doorcode/redis";
import { Cluster, Redis } from "ioredis";
import { expect, onTestFinished, test, vi } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { startRedisSentinel } from "../support/redis-sentinel.ts";
import { isInstalled, startRedis } from "../support/redis-server.ts";
import { createJournal } from "./journal.ts";
import { startInfoCutter } from "./redis-info-cutter.ts";

const onRedis = test.skipIf(!isInstalled("redis-server"));
const key = "a".repeat(64);
const complete = { action: "complete" } as const;
const patience = { timeout: 15_000, interval: 20 };

async function setUpServer() {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  return server;
}

const patient = { maxRetriesPerRequest: null, retryStrategy: () => 20 };

function openInbox(port: number, options: Partial<BullInboxOptions> = {}) {
  return openOn(new Redis(port, "127.0.0.1", patient), options);
}

function openOn(client: Redis, options: Partial<BullInboxOptions> = {}) {
  client.on("error", () => undefined);
  onTestFinished(() => client.disconnect());
  return { client, inbox: createBullInbox({ client, takeOverSeconds: 1, ...options }) };
}

/** Notes what it is handed, and is done with it. */
function noting() {
  const taken = createJournal<TakenEntry>();
  const handle: InboxHandler = async (entry) => {
    taken.note(entry);
    return complete;
  };
  return { taken, handle };
}

const errorsOnly = { concurrency: 3, onError: () => undefined };

onRedis("an inbox whose first question lost its answer keeps events all the same", async () => {
  const server = await setUpServer();
  const cutter = await startInfoCutter(server.port);
  onTestFinished(() => cutter.close());
  const { inbox } = openInbox(cutter.port);
  const add = () => inbox.add({ key, body: "" }).then(() => "kept");
  await expect.poll(() => add().catch(() => "refused"), patience).toBe("kept");
});

onRedis("a worker asks a full Redis once, rests, and goes on when there is room", async () => {
  const server = await setUpServer();
  const clock = createManualClock();
  const { inbox } = openInbox(server.port, { clock });
  const gate = createBarrier();
  const taken = createJournal<string>();
  const errors = createJournal<unknown>();
  for (const digit of "abcdef") await inbox.add({ key: digit.repeat(64), body: "" });
  const handle = async (entry: { readonly key: string }) => {
    taken.note(entry.key);
    await gate.pass();
    return complete;
  };
  const worker = await inbox.work(handle, { concurrency: 2, onError: errors.note });
  await gate.arrived(2);
  await server.admin.config("SET", "maxmemory", "1", "maxmemory-policy", "noeviction");
  gate.open();
  await errors.reached(() => true);
  for (let asked = 0; asked < 200; asked++) await server.admin.ping();
  const refused = errors.entries.length;
  await server.admin.config("SET", "maxmemory", "0");
  const moves = setInterval(() => clock.advance(1000), 20);
  onTestFinished(() => clearInterval(moves));
  await expect.poll(() => new Set(taken.entries).size, patience).toBe(6);
  await worker.stop({ limitSeconds: 5 });

  // Those under way, and the question after them.
  expect(refused).toBeLessThanOrEqual(6);
  expect(errors.entries[0]).toMatchObject({ code: "store_unavailable", message: expect.stringMatching(/full/) });
});

onRedis.each(["kill", "pause"] as const)("a worker with nothing to do stops when Redis goes by %s", async (way) => {
  const server = await setUpServer();
  const { inbox } = openInbox(server.port, { timeoutSeconds: 0.1 });
  const worker = await inbox.work(async () => complete, errorsOnly);
  await server[way]();
  await worker.stop({ limitSeconds: 3600 });
  await worker.stop({ limitSeconds: 3600 });
  await inbox.close();
  if (way === "pause") server.resume();
});

onRedis(
  "a worker without Redis stops when its handler is done, and the event is handed out again",
  {
    timeout: 30_000,
  },
  async () => {
    const server = await startRedis({ settings: ["--appendonly", "yes", "--appendfsync", "always"] });
    onTestFinished(() => server.stop());
    const { inbox } = openInbox(server.port, { timeoutSeconds: 0.1 });
    await inbox.add({ key, body: "" });
    const gate = createBarrier();
    const order: string[] = [];
    const handle = async () => {
      await gate.pass();
      order.push("done");
      return complete;
    };
    const worker = await inbox.work(handle, errorsOnly);
    await gate.arrived(1);
    await server.kill();
    const stopped = worker.stop({ limitSeconds: 3600 }).then(() => order.push("stopped"));
    gate.open();
    await stopped;
    await server.restart();
    const { taken, handle: noteAndComplete } = noting();
    const next = await inbox.work(noteAndComplete, errorsOnly);
    await taken.reached(() => true);
    await next.stop({ limitSeconds: 5 });

    expect(order).toEqual(["done", "stopped"]);
    expect(taken.entries).toMatchObject([{ key }]);
  },
);

onRedis("a worker begins without Redis, tells of it, and works when Redis is there", async () => {
  const server = await setUpServer();
  await server.kill();
  const { inbox } = openInbox(server.port, { timeoutSeconds: 0.1 });
  const errors = createJournal<unknown>();
  const { taken, handle } = noting();
  const worker = await inbox.work(handle, { concurrency: 1, onError: errors.note });
  await errors.reached(() => true);
  await server.restart();
  const added = () => inbox.add({ key, body: "" }).then(() => true);
  await expect.poll(() => added().catch(() => false), patience).toBe(true);
  await taken.reached(() => true);
  await worker.stop({ limitSeconds: 5 });
});

onRedis("an inbox and its workers leave no listener on the app's client", async () => {
  const server = await setUpServer();
  const { client, inbox } = openInbox(server.port);
  await inbox.add({ key, body: "" });
  for (let times = 0; times < 3; times++) {
    await (await inbox.work(async () => complete, errorsOnly)).stop({ limitSeconds: 5 });
  }
  expect(client.listenerCount("end")).toBe(1);
  await inbox.close();
  await expect.poll(() => client.listenerCount("end"), patience).toBe(0);
});

onRedis(
  "what is no event, put into the queue by somebody else, is handed over as an empty body and holds up nothing",
  async () => {
    const server = await setUpServer();
    const { inbox } = openInbox(server.port);
    await inbox.add({ key, body: "" });
    await server.admin.hset(`{doorcode}:webhooks:${key}`, "data", "null");
    await inbox.add({ key: "b".repeat(64), body: "body" });
    const { taken, handle } = noting();
    const worker = await inbox.work(handle, errorsOnly);
    await taken.reached(() => true, 2);
    await worker.stop({ limitSeconds: 5 });
    expect(taken.entries).toContainEqual({ key, body: "", failures: 0, replayed: false });
  },
);

onRedis(
  "a fail-over: edge and worker leave the former primary while it still takes what its successor never learns",
  {
    timeout: 60_000,
  },
  async () => {
    const sentinel = await startRedisSentinel();
    onTestFinished(() => sentinel.stop());
    const { client, inbox } = openOn(
      new Redis({ ...patient, sentinels: [{ host: "127.0.0.1", port: sentinel.port }], name: sentinel.name }),
    );
    await inbox.add({ key, body: "" });
    const worker = await inbox.work(async () => complete, errorsOnly);
    await sentinel.failOver();
    const named = async () => String(await sentinel.primary.admin.client("LIST")).includes("doorcode-inbox");
    await expect.poll(named, patience).toBe(false);
    const role = await sentinel.primary.admin.info("replication");
    await worker.stop({ limitSeconds: 5 });
    await inbox.close();
    client.disconnect();
    expect(role).toContain("role:master");
  },
);

test("in a cluster a prefix without braces is refused", () => {
  const client = new Cluster([{ port: 1, host: "127.0.0.1" }], { lazyConnect: true });
  expect(() => createBullInbox({ client, prefix: "app" })).toThrow(/prefix must have braces/);
});

onRedis("an inbox warns of a Redis that evicts what was acknowledged", async () => {
  const emitted = vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => emitted.mockRestore());
  const server = await startRedis({ settings: ["--maxmemory-policy", "allkeys-lru"] });
  onTestFinished(() => server.stop());
  const { inbox } = openInbox(server.port);
  await inbox.add({ key, body: "" });
  const warnings = () => emitted.mock.calls.map(([text]) => String(text));
  await expect
    .poll(warnings, patience)
    .toEqual([expect.stringMatching(/allkeys-lru.*webhooks that were acknowledged/)]);
});

onRedis(
  "an event stays with its worker for as long as the handler works, though others look for what has stalled",
  {
    timeout: 60_000,
  },
  async () => {
    const server = await setUpServer();
    const { inbox } = openInbox(server.port);
    const gate = createBarrier();
    const taken = createJournal<string>();
    const handle: InboxHandler = async (entry) => {
      taken.note(entry.key);
      await gate.pass();
      return complete;
    };
    const workers = [await inbox.work(handle, errorsOnly), await inbox.work(handle, errorsOnly)];
    await inbox.add({ key, body: "" });
    await gate.arrived(1);
    let [left, renewals] = [0, 0];
    const countRenewals = async () => {
      const now = await server.admin.pttl(`{doorcode}:webhooks:${key}:lock`);
      if (now > left) renewals++;
      left = now;
      return renewals;
    };
    // Each is a third of the time after which it would have been given to another.
    await expect.poll(countRenewals, { timeout: 30_000, interval: 20 }).toBe(12);
    gate.open();
    const isCompleted = () => server.admin.zscore("{doorcode}:webhooks:completed", key);
    await expect.poll(isCompleted, patience).not.toBeNull();
    for (const worker of workers) await worker.stop({ limitSeconds: 5 });
    expect(taken.entries).toEqual([key]);
  },
);

onRedis(
  "W12: the late verdict of a worker that lost its hold changes nothing of the one that has it",
  {
    timeout: 30_000,
  },
  async () => {
    const server = await setUpServer();
    const clock = createManualClock();
    const [first, second] = [openInbox(server.port, { clock }), openInbox(server.port)];
    await first.inbox.add({ key, body: "body" });
    const [stalled, busy] = [createBarrier(), createBarrier()];
    const errors = createJournal<unknown>();
    const late: InboxHandler = async () => {
      await stalled.pass();
      return { action: "retry", afterSeconds: 0.02, failures: 7 };
    };
    // Nobody moves its clock, so it never renews its hold.
    const a = await first.inbox.work(late, { concurrency: 1, onError: errors.note });
    await stalled.arrived(1);
    const taken = createJournal<TakenEntry>();
    const successor: InboxHandler = async (entry) => {
      taken.note(entry);
      if (entry.failures > 0) return complete;
      await busy.pass();
      return { action: "retry", afterSeconds: 0.02, failures: 1 };
    };
    const b = await second.inbox.work(successor, errorsOnly);
    await busy.arrived(1);
    const jobOf = () => server.admin.hgetall(`{doorcode}:webhooks:${key}`);
    const before = await jobOf();
    stalled.open();
    await errors.reached(() => true);
    expect((await jobOf()).data).toBe(before.data);
    expect(await server.admin.lrange("{doorcode}:webhooks:active", 0, -1)).toEqual([key]);
    busy.open();
    await taken.reached(({ failures }) => failures > 0);
    await a.stop({ limitSeconds: 5 });
    await b.stop({ limitSeconds: 5 });

    expect(taken.entries.map(({ failures }) => failures)).toEqual([0, 1]);
  },
);
