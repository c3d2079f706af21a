import { describe, expect, test } from "vitest";
import type { DoorcodeEvent } from "../../src/doorcode-event.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { createManualClock } from "../../src/testing.ts";
import { createChangeListeners } from "../../src/util/change-listeners.ts";
import { createDeadLetters } from "../../src/webhooks/dead-letters.ts";
import { withoutTransactions } from "../../src/webhooks/event-transactions.ts";
import type { Inbox } from "../../src/webhooks/inbox.ts";
import { createWorkers } from "../../src/webhooks/workers.ts";
import { createGate } from "./receiver-setup.ts";

const unused = () => Promise.reject(new Error("Not used in this test."));
const noInbox: Inbox = { add: unused, work: unused, deadLetters: unused, replay: unused, close: async () => undefined };
const never = Promise.withResolvers<never>().promise;

/** Creates workers over an inbox that records the limits with which it is stopped. */
function setUp(work: Inbox["work"] | undefined = undefined, stop: () => Promise<void> = async () => undefined) {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const published: DoorcodeEvent[] = [];
  const limits: number[] = [];
  const noting: Inbox["work"] = async () => ({
    async stop({ limitSeconds }) {
      limits.push(limitSeconds);
      await stop();
    },
  });
  const workers = createWorkers({
    store,
    changes: createChangeListeners(),
    transactions: withoutTransactions(store),
    rollsBack: false,
    inbox: { ...noInbox, work: work ?? noting },
    name: "app",
    handlers: {},
    handlerSeconds: 60,
    attempts: 1,
    retrySeconds: 1,
    clock,
    publish: (event) => void published.push(event),
  });
  return { workers, clock, limits, published };
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
    await expect(workers.start({ concurrency })).rejects.toThrow(/concurrency must be a whole number from 1 to 1000/);
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
    await expect(worker.stop({ limitSeconds: limit })).rejects.toThrow(/limitSeconds must be from 0 to 86400/);
    await worker.stop({ limitSeconds: 0 });
    expect(limits).toEqual([0]);
  });
});

describe("replay", () => {
  test.each(["", "nope", "meta", "A".repeat(64), `x${"a".repeat(64)}`, `${"a".repeat(64)}\n`])(
    "returns false for %j without asking the engine",
    async (key) => {
      expect(await createDeadLetters(noInbox).replay(key)).toBe(false);
    },
  );

  test("asks the engine for a well-formed key", async () => {
    const asked: string[] = [];
    const desk = createDeadLetters({ ...noInbox, replay: async (key) => asked.push(key) > 0 });
    expect(await desk.replay("0a".repeat(32))).toBe(true);
    expect(asked).toEqual(["0a".repeat(32)]);
  });
});
