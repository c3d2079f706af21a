import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import type { DoorcodeEvent } from "../../src/options.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { createManualClock, type ManualClock } from "../../src/testing.ts";
import { DoorcodeError } from "../../src/util/errors.ts";
import { readEntity } from "../../src/webhooks/entity-record.ts";
import type { Inbox, InboxHandler, InboxVerdict, TakenEntry } from "../../src/webhooks/inbox.ts";
import { createWorkers } from "../../src/webhooks/worker.ts";
import { createGate, messageEvent, verificationEvent } from "./receiver-setup.ts";
import { unusedInbox } from "./unused-inbox.ts";

const never = Promise.withResolvers<never>().promise;

/** What a test changes of the workers of a kit. */
interface Own {
  readonly clock?: ManualClock;
  readonly store?: Store;
  readonly work?: Inbox["work"] | undefined;
  readonly handle?: () => unknown;
  readonly attempts?: number;
  readonly onCodeReport?: () => Promise<void>;
}

function setUpWorkers({ clock = createManualClock(), store = createMemoryStore({ clock }), ...own }: Own = {}) {
  const published: DoorcodeEvent[] = [];
  const { work = unusedInbox.work, handle = () => undefined, attempts = 4 } = own;
  const workers = createWorkers({
    store,
    changes: new EventEmitter(),
    inbox: { ...unusedInbox, work },
    name: "app",
    handlers: { "message.status.update": handle },
    onCodeReport: own.onCodeReport,
    handlerSeconds: 60,
    attempts,
    retrySeconds: 2,
    clock,
    publish: (event) => void published.push(event),
  });
  return { workers, clock, store, published };
}

/** Creates workers over an inbox that records the limits with which it is stopped. */
function setUp(work: Inbox["work"] | undefined = undefined, stop: () => Promise<void> = async () => undefined) {
  const limits: number[] = [];
  const noting: Inbox["work"] = async () => ({
    async stop({ limitSeconds }) {
      limits.push(limitSeconds);
      await stop();
    },
  });
  return { ...setUpWorkers({ work: work ?? noting }), limits };
}

describe("workers", () => {
  test("stop once each when the kit closes, even if one was stopped before", async () => {
    const { workers, limits, clock } = setUp();
    const first = await workers.start();
    await workers.start();
    await first.stop({ limitSeconds: 5 });
    await workers.stop();
    await workers.stop();
    expect(limits).toEqual([5, 30]);
    expect(clock.pending).toBe(0);
  });

  test("stop as soon as they have started, if the kit closes while they start", async () => {
    const gate = createGate();
    const limits: number[] = [];
    const { workers } = setUp(async () => {
      await gate.opened;
      return { stop: async ({ limitSeconds }) => void limits.push(limitSeconds) };
    });
    const starting = workers.start();
    const stopped = workers.stop();
    gate.open();
    await stopped;
    await starting;
    expect(limits).toEqual([30]);
  });

  test("cannot start after the kit is closed", async () => {
    const { workers } = setUp();
    await workers.stop();
    await expect(workers.start()).rejects.toThrow(/doorcode.close\(\) has closed/);
  });

  test("stop waiting for an engine that never starts or never stops", async () => {
    for (const { workers, clock } of [setUp(() => never), setUp(undefined, () => never)]) {
      void workers.start();
      await clock.advance(0);
      let stopped = false;
      const stopping = workers.stop().then(() => {
        stopped = true;
      });
      await clock.advance(30_999);
      expect(stopped).toBe(false);
      await clock.advance(1);
      await stopping;
      expect(clock.pending).toBe(0);
    }
  });

  test("publish the error of an engine that fails to stop, and let the kit close", async () => {
    const error = new Error("no connection");
    const { workers, published } = setUp(undefined, () => Promise.reject(error));
    await workers.start();
    await workers.stop();
    expect(published).toEqual([{ type: "inbox.failed", error }]);
  });

  test("reject with the error of an engine that cannot start, and can start again", async () => {
    let isDown = true;
    const { workers, published } = setUp(async () => {
      if (isDown) throw new Error("no connection");
      return { stop: async () => undefined };
    });
    await expect(workers.start()).rejects.toThrow("no connection");
    isDown = false;
    await (await workers.start()).stop();
    await workers.stop();
    expect(published).toEqual([]);
  });

  test("take ten events at once, or as many as the app says, and publish the errors of the engine", async () => {
    const started: number[] = [];
    const error = new Error("the connection was lost");
    const { workers, published } = setUp(async (_handle, { concurrency, onError }) => {
      started.push(concurrency);
      onError(error);
      return { stop: async () => undefined };
    });
    await workers.start();
    await workers.start({});
    await workers.start({ concurrency: 1 });
    await workers.start({ concurrency: 1000 });
    expect(started).toEqual([10, 10, 1, 1000]);
    expect(published).toEqual(Array(4).fill({ type: "inbox.failed", error }));
  });

  test.each([0, 1.5, 1001, Number.NaN])("refuse to take %s events at once", async (concurrency) => {
    const { workers } = setUp();
    await expect(workers.start({ concurrency })).rejects.toThrow(/concurrency: expected a whole number from 1 to 1000/);
  });

  test("may be stopped for up to a day, and for 30 seconds if the app says nothing", async () => {
    const { workers, limits } = setUp();
    await (await workers.start()).stop();
    await (await workers.start()).stop({});
    await (await workers.start()).stop({ limitSeconds: 86_400 });
    expect(limits).toEqual([30, 30, 86_400]);
  });

  test.each([Number.POSITIVE_INFINITY, Number.NaN, -1, 86_401])("refuse to stop within %s seconds", async (limit) => {
    const { workers, limits } = setUp();
    const worker = await workers.start();
    await expect(worker.stop({ limitSeconds: limit })).rejects.toThrow(
      /limitSeconds: expected seconds from 0 to 86400/,
    );
    await worker.stop({ limitSeconds: 0 });
    expect(limits).toEqual([0]);
  });
});

/** The verdict on an event about which nothing was decided: it counts no failure, and keeps the deaths. */
function undecided({ afterSeconds = 2, failures = 0 } = {}): InboxVerdict {
  return { action: "retry", afterSeconds, failures, keepsDeaths: true };
}

describe("the entry handler of a worker", () => {
  async function setUpHandler(handle: () => unknown, own: Own = {}) {
    const taken = Promise.withResolvers<InboxHandler>();
    const work: Inbox["work"] = async (handler) => {
      taken.resolve(handler);
      return { stop: async () => undefined };
    };
    const setup = setUpWorkers({ handle, work, ...own });
    await setup.workers.start();
    const handler = await taken.promise;
    const process = (event = messageEvent("SENT", 1), given: Partial<TakenEntry> = {}) =>
      handler({ key: event.key, body: event.body, failures: 0, replayed: false, deaths: 0, ...given });
    return { ...setup, process, handler };
  }

  test("retries a failure after 2, 4, 8 seconds, up to an hour, and dead-letters the last one", async () => {
    const { process } = await setUpHandler(
      () => {
        throw new Error("oops");
      },
      { attempts: 14 },
    );
    const verdicts: InboxVerdict[] = [];
    for (let failures = 0; failures < 14; failures++) verdicts.push(await process(undefined, { failures }));
    const pauses = verdicts.map((verdict) => (verdict.action === "retry" ? verdict.afterSeconds : verdict.action));
    expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600, "dead_letter"]);
    expect(verdicts.map((verdict) => verdict.action === "retry" && verdict.failures).slice(0, 3)).toEqual([1, 2, 3]);
  });

  test("dead-letters an event that more than twenty workers died with, without its handler, and says so", async () => {
    let calls = 0;
    const { process, published } = await setUpHandler(() => calls++);
    const event = messageEvent("SENT", 1);
    const verdict = await process(event, { deaths: 21 });
    expect([verdict, calls]).toMatchObject([{ action: "dead_letter", error: { name: "WorkerDied" } }, 0]);
    expect(published).toEqual([{ type: "webhook.dead_lettered", kind: event.kind, key: event.key }]);
    expect([await process(event, { deaths: 20 }), calls]).toEqual([{ action: "complete" }, 1]);
  });

  test("ends the count of deaths when the handler has failed", async () => {
    const { process } = await setUpHandler(() => Promise.reject(new Error("no")));
    expect(await process(undefined, { deaths: 3 })).toEqual({ action: "retry", afterSeconds: 2, failures: 1 });
  });

  test("counts no failure and keeps the deaths while the store is unavailable, or another process holds the message", async () => {
    const away = { ...createMemoryStore(), lease: () => Promise.reject(new DoorcodeError("store_unavailable")) };
    const down = await setUpHandler(() => undefined, { store: away });
    expect(await down.process(undefined, { failures: 3 })).toEqual(undecided({ afterSeconds: 5, failures: 3 }));
    // The store publishes its own failures.
    expect(down.published).toEqual([]);

    const { process, store, clock } = await setUpHandler(() => undefined);
    await store.lease("app:webhook:message.status.update:msg_1", "other", { leaseSeconds: 60, ttlSeconds: 60 });
    const busy = process(undefined, { failures: 3 });
    await clock.advance(2000);
    expect(await busy).toEqual(undecided({ failures: 3 }));
    expect(clock.pending).toBe(0);
  });

  test("does not run a handler again if the store is unavailable for seconds after it ends", async () => {
    const clock = createManualClock();
    const memory = createMemoryStore({ clock });
    let refusals = 4;
    const store: Store = {
      ...memory,
      settle: (...given) =>
        !given[3].hold && refusals-- > 0 ? Promise.reject(new Error("away")) : memory.settle(...given),
    };
    let calls = 0;
    const { process } = await setUpHandler(() => calls++, { store, clock });
    const done = process();
    await clock.advance(7499);
    expect(refusals).toBe(0);
    await clock.advance(1);
    expect(await done).toEqual({ action: "complete" });
    refusals = 0;
    expect(await process()).toEqual({ action: "complete" });
    expect(calls).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test("does not fail a handler that ended in time if the store is unavailable after it", async () => {
    const clock = createManualClock();
    const memory = createMemoryStore({ clock });
    let isAway = false;
    const store: Store = {
      ...memory,
      settle: (...given) => (isAway ? Promise.reject(new Error("away")) : memory.settle(...given)),
    };
    const done = Promise.withResolvers<void>();
    const { process, published } = await setUpHandler(() => done.promise, { store, clock, attempts: 1 });
    const verdict = process();
    await clock.advance(59_900);
    isAway = true;
    done.resolve();
    await clock.advance(3000);
    isAway = false;
    await clock.advance(4000);
    expect(await verdict).toEqual({ action: "complete" });
    expect(published.map(({ type }) => type)).toEqual(["webhook.handled"]);
  });

  test("recognizes an event that was marked as handled although the answer of the store was lost", async () => {
    const clock = createManualClock();
    const memory = createMemoryStore({ clock });
    let isLost = true;
    const store: Store = {
      ...memory,
      async settle(...given) {
        const settled = await memory.settle(...given);
        if (isLost && !given[3].hold) throw new Error("lost");
        return settled;
      },
    };
    let calls = 0;
    const { process, published } = await setUpHandler(() => calls++, { store, clock });
    const first = process();
    await clock.advance(100);
    isLost = false;
    await clock.advance(400);
    const verdicts = [await first, await process()];
    expect(verdicts).toEqual([undecided(), { action: "complete" }]);
    expect(published.map(({ type }) => type)).toEqual(["webhook.superseded", "webhook.duplicate"]);
    expect(calls).toBe(1);
  });

  test("returns an entry to the inbox if it waits too long for its entity in the process", async () => {
    const working = Promise.withResolvers<void>();
    const { process, clock } = await setUpHandler(() => working.promise);
    const first = process();
    const second = process(messageEvent("DELIVERED", 2));
    await clock.advance(2000);
    expect(await second).toEqual(undecided());
    working.resolve();
    await clock.advance(0);
    expect(await first).toEqual({ action: "complete" });
  });

  test("queues at most two more events of a message, so that a slow handler does not block other messages", async () => {
    const working = Promise.withResolvers<void>();
    const { process, clock } = await setUpHandler(() => working.promise);
    const [first, second, third] = [1, 2, 3].map((at) => process(messageEvent("SENT", at)));
    const others = await Promise.all([4, 5].map((at) => process(messageEvent("SENT", at))));
    working.resolve();
    await clock.advance(0);
    expect(others).toEqual(Array(2).fill(undecided()));
    expect(await Promise.all([first, second, third])).toEqual(Array(3).fill({ action: "complete" }));
    expect(clock.pending).toBe(0);
  });

  test("handles a replay after any other event, and keeps newer events and a final status", async () => {
    let calls = 0;
    const { process, store } = await setUpHandler(() => calls++);
    const record = async () => readEntity((await store.get(["app:webhook:message.status.update:msg_1"]))[0]);
    await process(messageEvent("DELIVERED", 3));
    const before = await record();
    for (const event of [messageEvent("SENT", 2), messageEvent("DELIVERED", 3)]) {
      expect(await process(event, { replayed: true })).toEqual({ action: "complete" });
      expect(await record()).toEqual(before);
    }
    await process(messageEvent("LATER", 4), { replayed: true });
    expect(await record()).toMatchObject({ keys: before.keys, final: true });
    expect(calls).toBe(4);
  });

  test("counts a code that reached no phone once, however often its event is replayed", async () => {
    let counted = 0;
    const onCodeReport = async () => void counted++;
    const { process } = await setUpHandler(() => undefined, { onCodeReport });
    const failed = verificationEvent({ status: "FAILED", channel: "SMS", recipient: "+4915112345678" }, 1);
    await process(failed);
    await process(failed, { replayed: true });
    expect(counted).toBe(1);
  });

  test("reports no code of a replayed event, also if what was known of it is forgotten after a week", async () => {
    let counted = 0;
    const onCodeReport = async () => void counted++;
    const { process, clock } = await setUpHandler(() => undefined, { onCodeReport });
    const failed = verificationEvent({ status: "FAILED", channel: "SMS", recipient: "+4915112345678" }, 1);
    await process(failed);
    await clock.advance(8 * 86_400_000);
    await process(failed, { replayed: true });
    expect(counted).toBe(1);
  });

  test("recognizes an event that was replayed, and the others of its instant, when it is delivered again", async () => {
    const { process, published } = await setUpHandler(() => undefined);
    const [queued, sent] = [messageEvent("QUEUED", 3), messageEvent("SENT", 3)];
    await process(queued);
    await process(sent, { replayed: true });
    await process(queued);
    await process(sent);
    expect(published.map(({ type }) => type)).toEqual([
      "webhook.handled",
      "webhook.handled",
      "webhook.duplicate",
      "webhook.duplicate",
    ]);
  });

  test("tells of an event that was handed out again", async () => {
    let fails = true;
    const { process, published } = await setUpHandler(() => {
      if (fails) throw new Error("no");
    });
    await process(messageEvent("QUEUED", 1));
    fails = false;
    await process(messageEvent("QUEUED", 1), { failures: 1 });
    await process(messageEvent("QUEUED", 1), { replayed: true });
    await process(messageEvent("SENT", 2));
    expect(published.map((event) => "retried" in event && event.retried)).toEqual([false, true, true, false]);
  });

  test.each([
    ["SENT", "webhook.handled"],
    ["DELIVERED", "webhook.stale"],
  ])("after the replay of %s, a later event is %s", async (status, later) => {
    const { process, published } = await setUpHandler(() => undefined);
    await process(messageEvent("QUEUED", 1));
    await process(messageEvent(status, 2), { replayed: true });
    await process(messageEvent("LATER", 3));
    expect(published.map(({ type }) => type)).toEqual(["webhook.handled", "webhook.handled", later]);
  });
});
