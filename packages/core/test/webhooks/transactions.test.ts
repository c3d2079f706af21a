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
  test("keeps no lease when its transaction has failed, so another process takes the event over", async () => {
    const { receiver, clock, store } = setUp(() => ({ run: () => Promise.reject(lost()) }));
    expect(await receiver.answer(event)).toBe("store_unavailable");
    await clock.advance(15_000);
    const taken = await store.lease(key, "another process", { leaseSeconds: 15, ttlSeconds: 60 });
    expect(taken.held).toBe(true);
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
    expect(published.map(({ type }) => type)).toEqual(["webhook.superseded"]);
    expect(clock.pending).toBe(0);
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
});
