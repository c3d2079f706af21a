import { describe, expect, test } from "vitest";
import { createDoorcode } from "../../src/create-doorcode.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { DoorcodeError } from "../../src/util/errors.ts";
import { readEntity } from "../../src/webhooks/entity-record.ts";
import type { EventTransactions } from "../../src/webhooks/handlers.ts";
import { createGate, createReceiverSetup, messageEvent } from "./receiver-setup.ts";

const event = messageEvent("SENT", 1);
const key = "app:webhook:message.status.update:msg_1";

/** Creates a process whose handler runs in the given transactions. */
function setUp(
  createTransactions: (setup: ReturnType<typeof createReceiverSetup>) => Pick<EventTransactions<unknown>, "run">,
  handle: () => unknown = () => undefined,
) {
  const setup = createReceiverSetup();
  const transactions = { store: setup.store, ...createTransactions(setup) };
  const receiver = setup.process({ "message.status.update": handle }, { transactions });
  const record = async () => readEntity((await setup.store.get([key]))[0]);
  const types = () => setup.published.map(({ type }) => type);
  return { ...setup, receiver, record, types };
}

const lost = () => new Error("Connection terminated unexpectedly");

/** Simulates a database: an abort rolls back and rejects with the signal's reason. */
const rollingBack: Pick<EventTransactions<unknown>, "run"> = {
  run(work, signal) {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(signal.reason));
    return Promise.race([work({}, () => Promise.reject(lost())), promise]);
  },
};

describe("createDoorcode", () => {
  test("refuses transactions whose store is not its own", () => {
    const [store, other] = [createMemoryStore(), createMemoryStore({ name: "other" })];
    const run = () => Promise.resolve(true);
    const create = (given: Store, kit?: Store) =>
      createDoorcode({
        ...(kit && { store: kit }),
        webhooks: { secret: "whk_of_the_tests", transactions: { store: given, run } },
      });
    expect(() => create(store, other)).toThrow(/webhooks\.transactions .* the one store to both/);
    expect(() => create(store)).toThrow(/webhooks\.transactions/);
    expect(() => create(store, store)).not.toThrow();
  });
});

describe("a handler in a transaction", () => {
  test("is marked as handled by the transaction, not by the store alone", async () => {
    const settled: string[] = [];
    const { receiver, record } = setUp(({ store }) => ({
      run: (work) =>
        work({}, (...given) => {
          settled.push(given[0]);
          return store.settle(...given);
        }),
    }));
    expect(await receiver.answer(event)).toBe("handled");
    expect(settled).toEqual([key]);
    expect((await record()).keys).toEqual([event.key]);
  });

  test("fails if it throws, however the transaction ends", async () => {
    const oops = new Error("oops");
    const { receiver, published } = setUp(
      () => ({
        async run(work) {
          await work({}, () => Promise.reject(lost()));
          throw lost();
        },
      }),
      () => Promise.reject(oops),
    );
    expect(await receiver.answer(event)).toBe("failed");
    expect(published).toMatchObject([{ type: "webhook.failed", error: oops }]);
  });

  test("fails if the transaction was surely rolled back because of it", async () => {
    const refused = new DoorcodeError("handler_failed", { message: "23505" });
    const { receiver, record, published } = setUp(() => ({
      async run(work) {
        await work({}, async () => true);
        throw refused;
      },
    }));
    expect(await receiver.answer(event)).toBe("failed");
    expect(published).toMatchObject([{ type: "webhook.failed", error: refused }]);
    expect((await record()).keys).toEqual([]);
    // Its lease is released, so the next event does not wait.
    expect(await receiver.answer(messageEvent("DELIVERED", 2))).toBe("failed");
  });

  test("ends as its last run does if a conflict in the database has it run again", async () => {
    let calls = 0;
    const { receiver, types } = setUp(
      ({ store }) => ({
        async run(work) {
          await work({}, async () => true).catch(() => undefined);
          return work({}, (...given) => store.settle(...given));
        },
      }),
      () => (calls++ === 0 ? Promise.reject(lost()) : undefined),
    );
    expect(await receiver.answer(event)).toBe("handled");
    expect([calls, types()]).toEqual([2, ["webhook.handled"]]);
  });

  test("is neither handled nor failed if it is unknown whether the transaction was committed", async () => {
    const { receiver, types, clock } = setUp(({ store }) => ({
      async run(work) {
        await work({}, (...given) => store.settle(...given));
        throw lost();
      },
    }));
    expect(await receiver.answer(event)).toBe("store_unavailable");
    expect(await receiver.answer(event)).toBe("duplicate");
    expect(types()).toEqual(["store.failed", "webhook.duplicate"]);
    expect(clock.pending).toBe(0);
  });

  test("keeps no lease alive if its transaction could not be begun", async () => {
    const { receiver, types, clock } = setUp(() => ({ run: () => Promise.reject(lost()) }));
    expect(await receiver.answer(event)).toBe("store_unavailable");
    expect([types(), clock.pending]).toEqual([["store.failed"], 0]);
  });

  test("is not failed if the transaction was committed despite the error", async () => {
    const { receiver, types } = setUp(({ store }) => ({
      async run(work) {
        await work({}, (...given) => store.settle(...given));
        throw new DoorcodeError("handler_failed");
      },
    }));
    expect(await receiver.answer(event)).toBe("superseded");
    expect(types()).toEqual(["webhook.failed", "webhook.superseded"]);
  });

  test("W16: is rolled back and fails at its limit, and frees its message at once", async () => {
    let calls = 0;
    const hang = Promise.withResolvers<void>().promise;
    const { receiver, clock, published, store } = setUp(
      () => rollingBack,
      () => (calls++ === 0 ? hang : undefined),
    );
    const answer = receiver.receive(event);
    await clock.advance(59_999);
    expect((await store.lease(key, "other", { leaseSeconds: 1, ttlSeconds: 60 })).held).toBe(false);
    await clock.advance(1);
    expect(await answer).toBe("unfinished");
    expect(published.at(-1)).toMatchObject({ type: "webhook.failed", error: { name: "TimeoutError" } });
    expect((await store.lease(key, "other", { leaseSeconds: 1, ttlSeconds: 60 })).held).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test("W12: is rolled back as soon as another process takes over the message", async () => {
    const hang = Promise.withResolvers<void>().promise;
    const { receiver, clock, published, store } = setUp(
      () => rollingBack,
      () => hang,
    );
    void receiver.receive(event);
    await clock.advance(1000);
    await store.put(key, undefined, { ttlSeconds: 60 });
    await store.lease(key, "other", { leaseSeconds: 60, ttlSeconds: 60 });
    await clock.advance(5000);
    expect(published.map(({ type }) => type)).toEqual(["webhook.unfinished", "webhook.superseded"]);
    expect(clock.pending).toBe(0);
  });

  test("is neither handled nor failed if the connection is lost while the transaction is rolled back", async () => {
    const hang = Promise.withResolvers<void>().promise;
    const { receiver, clock, types } = setUp(
      () => ({
        run(work, signal) {
          void work({}, async () => true);
          return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(lost())));
        },
      }),
      () => hang,
    );
    void receiver.receive(event);
    await clock.advance(60_000);
    expect(types()).toEqual(["webhook.unfinished", "store.failed"]);
  });

  test("keeps the lease of its message while it waits for the transaction to begin", async () => {
    const pool = createGate();
    const { receiver, clock, store, types } = setUp((setup) => ({
      async run(work) {
        await pool.opened;
        return work({}, (...given) => setup.store.settle(...given));
      },
    }));
    void receiver.receive(event);
    await clock.advance(20_000);
    expect((await store.lease(key, "other", { leaseSeconds: 1, ttlSeconds: 60 })).held).toBe(false);
    pool.open();
    await clock.advance(0);
    expect(types()).toEqual(["webhook.unfinished", "webhook.handled"]);
    expect(clock.pending).toBe(0);
  });

  test("is not failed if no transaction could begin within its limit", async () => {
    const { receiver, clock, published } = setUp(() => ({
      run: (_work, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    }));
    void receiver.receive(event);
    await clock.advance(60_000);
    expect(published.map(({ type }) => type)).toEqual(["webhook.unfinished", "store.failed"]);
    expect(clock.pending).toBe(0);
  });

  test("leaves no timer behind if the transaction cannot begin", async () => {
    const { receiver, types, clock } = setUp(() => ({ run: () => Promise.reject(lost()) }));
    expect(await receiver.receive(event)).toBe("store_unavailable");
    expect(types()).toEqual(["store.failed"]);
    expect(clock.pending).toBe(0);
  });
});
