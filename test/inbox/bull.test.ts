import type { InboxHandler, TakenEntry } from "@doorcode/core/inbox";
import { createManualClock } from "@doorcode/core/testing";
import { type BullInboxOptions, createBullInbox } from "@doorcode/redis";
import { Redis } from "ioredis";
import { expect, onTestFinished, test, vi } from "vitest";
import { openRedis } from "../stores/redis-setup.ts";
import { createBarrier } from "../support/barrier.ts";
import { isInstalled } from "../support/redis-server.ts";
import { endRedisHolds } from "./inbox-setup.ts";
import { createJournal } from "./journal.ts";
import { startInfoCutter } from "./redis-info-cutter.ts";

const onRedis = test.skipIf(!isInstalled("redis-server"));
const key = "a".repeat(64);
const complete = { action: "complete" } as const;

const patient = { maxRetriesPerRequest: null, retryStrategy: () => 20 };

function openInbox(port: number, options: Partial<BullInboxOptions> = {}) {
  return openOn(new Redis(port, "127.0.0.1", patient), options);
}

function openOn(client: Redis, options: Partial<BullInboxOptions> = {}) {
  client.on("error", () => undefined);
  const inbox = createBullInbox({ client, takeOverSeconds: 1, ...options });
  onTestFinished(async () => {
    client.disconnect();
    await inbox.close();
  });
  return { client, inbox };
}

/** Creates a handler that records its entries and completes them. */
function createRecorder() {
  const taken = createJournal<TakenEntry>();
  const handle: InboxHandler = async (entry) => {
    taken.note(entry);
    return complete;
  };
  return { taken, handle };
}

const threeAtOnce = { concurrency: 3, onError: () => undefined };

onRedis("an inbox stores events even if the reply to its first command was lost", async () => {
  const server = await openRedis();
  const cutter = await startInfoCutter(server.port);
  onTestFinished(() => cutter.close());
  const { inbox } = openInbox(cutter.port);
  const add = () => inbox.add({ key, body: "" }).then(() => "stored");
  await expect.poll(() => add().catch(() => "rejected")).toBe("stored");
});

onRedis("a worker pauses after an error reply of a full Redis, and goes on when there is room", async () => {
  const server = await openRedis();
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
  for (let pings = 0; pings < 200; pings++) await server.admin.ping();
  const refused = errors.entries.length;
  await server.admin.config("SET", "maxmemory", "0");
  const moves = setInterval(() => clock.advance(1000), 20);
  onTestFinished(() => clearInterval(moves));
  await expect.poll(() => new Set(taken.entries).size).toBe(6);
  await worker.stop({ limitSeconds: 5 });

  // One for each job under way, and for the commands after them.
  expect(refused).toBeLessThanOrEqual(6);
  expect(errors.entries[0]).toMatchObject({ code: "store_unavailable", message: expect.stringMatching(/full/) });
});

onRedis.each(["kill", "pause"] as const)("an idle worker stops after a %s of Redis", async (way) => {
  const server = await openRedis();
  const { inbox } = openInbox(server.port, { timeoutSeconds: 0.1 });
  const worker = await inbox.work(async () => complete, threeAtOnce);
  await server[way]();
  await worker.stop({ limitSeconds: 3600 });
  await worker.stop({ limitSeconds: 3600 });
  await inbox.close();
  if (way === "pause") server.resume();
});

onRedis(
  "a worker that lost Redis stops when its handler is done, and the event is handed out again",
  {
    timeout: 30_000,
  },
  async () => {
    const server = await openRedis({ settings: ["--appendonly", "yes", "--appendfsync", "always"] });
    const { inbox } = openInbox(server.port, { timeoutSeconds: 0.1 });
    // With a time limit that does not measure how busy the machine is.
    await openInbox(server.port).inbox.add({ key, body: "" });
    const gate = createBarrier();
    const order: string[] = [];
    const handle = async () => {
      await gate.pass();
      order.push("done");
      return complete;
    };
    const worker = await inbox.work(handle, threeAtOnce);
    await gate.arrived(1);
    await server.kill();
    const stopped = worker.stop({ limitSeconds: 3600 }).then(() => order.push("stopped"));
    gate.open();
    await stopped;
    await server.restart();
    const { taken, handle: noteAndComplete } = createRecorder();
    const next = await inbox.work(noteAndComplete, threeAtOnce);
    await endRedisHolds(server.admin, "doorcode");
    await taken.reached(() => true);
    await next.stop({ limitSeconds: 5 });

    expect(order).toEqual(["done", "stopped"]);
    expect(taken.entries).toMatchObject([{ key }]);
  },
);

onRedis("a worker starts without Redis, reports that, and works once Redis is there", async () => {
  const server = await openRedis();
  await server.kill();
  const { inbox } = openInbox(server.port, { timeoutSeconds: 0.1 });
  const errors = createJournal<unknown>();
  const { taken, handle } = createRecorder();
  const worker = await inbox.work(handle, { concurrency: 1, onError: errors.note });
  await errors.reached(() => true);
  await server.restart();
  const patientInbox = openInbox(server.port).inbox;
  const added = () => patientInbox.add({ key, body: "" }).then(() => true);
  await expect.poll(() => added().catch(() => false)).toBe(true);
  await taken.reached(() => true);
  await worker.stop({ limitSeconds: 5 });

  const advice = /^Redis is not connected \(connect ECONNREFUSED .*\): check that it runs/;
  expect(errors.entries[0]).toMatchObject({ code: "store_unavailable", message: expect.stringMatching(advice) });
});

onRedis("a job that another program added is handed out with an empty body, and delays nothing", async () => {
  const server = await openRedis();
  const { inbox } = openInbox(server.port);
  await inbox.add({ key, body: "" });
  await server.admin.hset(`{doorcode}:webhooks:${key}`, "data", "null");
  await inbox.add({ key: "b".repeat(64), body: "body" });
  const { taken, handle } = createRecorder();
  const worker = await inbox.work(handle, threeAtOnce);
  await taken.reached(() => true, 2);
  await worker.stop({ limitSeconds: 5 });
  expect(taken.entries).toContainEqual({ key, body: "", failures: 0, replayed: false, deaths: 0 });
});

onRedis("an inbox warns of a Redis that may evict acknowledged events", async () => {
  const emitted = vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => emitted.mockRestore());
  const server = await openRedis({ settings: ["--maxmemory-policy", "allkeys-lru"] });
  const { inbox } = openInbox(server.port);
  await inbox.add({ key, body: "" });
  const warnings = () => emitted.mock.calls.map(([text]) => String(text));
  await expect.poll(warnings).toEqual([expect.stringMatching(/allkeys-lru.*webhooks that were acknowledged/)]);
});

onRedis(
  "an event stays with its worker for as long as its handler runs, although other workers look for stalled jobs",
  {
    timeout: 60_000,
  },
  async () => {
    const server = await openRedis();
    const { inbox } = openInbox(server.port);
    const gate = createBarrier();
    const taken = createJournal<string>();
    const handle: InboxHandler = async (entry) => {
      taken.note(entry.key);
      await gate.pass();
      return complete;
    };
    const workers = [await inbox.work(handle, threeAtOnce), await inbox.work(handle, threeAtOnce)];
    await inbox.add({ key, body: "" });
    await gate.arrived(1);
    let [left, renewals] = [0, 0];
    const countRenewals = async () => {
      const now = await server.admin.pttl(`{doorcode}:webhooks:${key}:lock`);
      if (now > left) renewals++;
      left = now;
      return renewals;
    };
    // The lock would have expired several times without them.
    await expect.poll(countRenewals, { timeout: 30_000, interval: 20 }).toBe(9);
    gate.open();
    const isCompleted = () => server.admin.zscore("{doorcode}:webhooks:completed", key);
    await expect.poll(isCompleted).not.toBeNull();
    for (const worker of workers) await worker.stop({ limitSeconds: 5 });
    expect(taken.entries).toEqual([key]);
  },
);

onRedis(
  "W12: the late verdict of a worker that lost its lock changes nothing for the worker that has the lock",
  { timeout: 30_000 },
  async () => {
    const server = await openRedis();
    const [first, second] = [openInbox(server.port), openInbox(server.port)];
    await first.inbox.add({ key, body: "body" });
    const [stalled, busy] = [createBarrier(), createBarrier()];
    const late: InboxHandler = async () => {
      await stalled.pass();
      return { action: "retry", afterSeconds: 0.02, failures: 7 };
    };
    const a = await first.inbox.work(late, { concurrency: 1, onError: () => undefined });
    await stalled.arrived(1);
    const taken = createJournal<TakenEntry>();
    const successor: InboxHandler = async (entry) => {
      taken.note(entry);
      if (entry.failures > 0) return complete;
      await busy.pass();
      return { action: "retry", afterSeconds: 0.02, failures: 1 };
    };
    const b = await second.inbox.work(successor, threeAtOnce);
    // As after a long halt of the process. A lock that is gone is not renewed.
    await endRedisHolds(server.admin, "doorcode");
    await busy.arrived(1);
    const job = () => server.admin.hgetall(`{doorcode}:webhooks:${key}`);
    const before = await job();
    stalled.open();
    await a.stop({ limitSeconds: 5 });
    expect(await job()).toEqual(before);
    expect(await server.admin.lrange("{doorcode}:webhooks:active", 0, -1)).toEqual([key]);
    busy.open();
    await taken.reached(({ failures }) => failures > 0);
    await b.stop({ limitSeconds: 5 });

    expect(taken.entries.map(({ failures }) => failures)).toEqual([0, 1]);
  },
);

onRedis("a worker that pauses because Redis was full stops when its jobs are done", async () => {
  const server = await openRedis();
  // Nobody moves its clock, so the pause does not end by itself.
  const { inbox } = openInbox(server.port, { clock: createManualClock() });
  const keys = ["a", "b"].map((digit) => digit.repeat(64));
  for (const key of keys) await inbox.add({ key, body: "" });
  const [refused, slow] = [createBarrier(), createBarrier()];
  const order: string[] = [];
  const errors = createJournal<unknown>();
  const handle: InboxHandler = async ({ key }) => {
    await (key === keys[0] ? refused : slow).pass();
    order.push(key.slice(0, 1));
    return complete;
  };
  const worker = await inbox.work(handle, { concurrency: 2, onError: errors.note });
  await Promise.all([refused.arrived(1), slow.arrived(1)]);
  await server.admin.config("SET", "maxmemory", "1", "maxmemory-policy", "noeviction");
  refused.open();
  await errors.reached(() => true);
  await server.admin.config("SET", "maxmemory", "0");
  const stopped = worker.stop({ limitSeconds: 5 }).then(() => order.push("stopped"));
  slow.open();
  await stopped;

  expect(order).toEqual(["a", "b", "stopped"]);
  expect(await server.admin.zscore("{doorcode}:webhooks:completed", keys[1] ?? "")).not.toBeNull();
});

onRedis("the failures before a replay are not counted after it", async () => {
  const server = await openRedis();
  const { inbox } = openInbox(server.port);
  await inbox.add({ key, body: "" });
  const taken = createJournal<TakenEntry>();
  const handle: InboxHandler = async (entry) => {
    taken.note(entry);
    return entry.failures === 0 ? { action: "retry", afterSeconds: 0.02, failures: 3 } : complete;
  };
  const worker = await inbox.work(handle, threeAtOnce);
  await taken.reached(({ failures }) => failures === 3);
  await expect.poll(() => inbox.replay(key)).toBe(true);
  await taken.reached(({ failures }) => failures === 3, 2);
  await worker.stop({ limitSeconds: 5 });
  expect(taken.entries.map(({ failures, replayed }) => [failures, replayed])).toEqual([
    [0, false],
    [3, false],
    [0, true],
    [3, true],
  ]);
});

onRedis(
  "dead letters are listed in parts, each in its own time: thousands would take longer than a call may",
  async () => {
    const server = await openRedis();
    const clock = createManualClock();
    const { inbox } = openInbox(server.port, { clock });
    const error = { name: "Error", code: undefined, message: "no" };
    const worker = await inbox.work(async () => ({ action: "dead_letter", error }), threeAtOnce);
    const keys = Array.from({ length: 250 }, (_, index) => String(index).padStart(64, "0"));
    await Promise.all(keys.map((each) => inbox.add({ key: each, body: "" })));
    await expect.poll(async () => (await inbox.counts()).dead).toBe(250);
    await worker.stop({ limitSeconds: 5 });
    // The reply for each job takes 15 ms.
    let replies = Promise.resolve();
    const { hgetall } = Redis.prototype;
    const read = vi.spyOn(Redis.prototype, "hgetall").mockImplementation(function (this: Redis, ...given: unknown[]) {
      replies = replies.then(() => clock.advance(15));
      return replies.then(() => Reflect.apply(hgetall, this, given));
    });
    onTestFinished(() => read.mockRestore());

    const letters = await inbox.deadLetters(1000);
    expect(new Set(letters.map((letter) => letter.key))).toEqual(new Set(keys));
    const instants = letters.map(({ failedAtMilliseconds }) => failedAtMilliseconds);
    expect(instants).toEqual(instants.toSorted((left, right) => right - left));
    expect(await inbox.deadLetters(120)).toEqual(letters.slice(0, 120));
  },
);
