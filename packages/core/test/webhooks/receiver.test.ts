import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { createManualClock } from "../../src/testing.ts";
import { verificationEntityKey } from "../../src/webhooks/entity.ts";
import type { WebhookEvent } from "../../src/webhooks/event.ts";
import { readEntity } from "../../src/webhooks/stored-entity.ts";
import { createGate, createReceiverSetup, eventOf, messageEvent, verificationEvent } from "./receiver-setup.ts";

/** Creates handlers that record their events. */
function recording(calls: WebhookEvent[]) {
  const note = (event: WebhookEvent) => void calls.push(event);
  return { "message.status.update": note, "verification.update": note, unknown: note };
}

function statuses(calls: readonly WebhookEvent[]): unknown[] {
  return calls.map((event) => event.data.status);
}

/** Wraps a store so that the functions named in `broken` reject. */
function breakable(store: Store) {
  const broken = new Set<keyof Store>();
  const guard = (verb: keyof Store) => {
    if (broken.has(verb)) throw new Error("connection refused");
  };
  const wrapped: Store = {
    ...store,
    async lease(...args) {
      guard("lease");
      return store.lease(...args);
    },
    async settle(...args) {
      guard("settle");
      return store.settle(...args);
    },
  };
  return { store: wrapped, broken };
}

describe("duplicates", () => {
  test("runs the handler once for an event that is delivered twice", async () => {
    const setup = createReceiverSetup();
    const calls: WebhookEvent[] = [];
    const receiver = setup.process(recording(calls));
    const event = messageEvent("SENT", 1);
    expect(await receiver.answer(event)).toBe("handled");
    expect(await receiver.answer(event)).toBe("duplicate");
    expect(calls).toEqual([event]);
    expect(setup.published).toEqual([
      { type: "webhook.handled", kind: event.kind, key: event.key, durationSeconds: 0 },
      { type: "webhook.duplicate", kind: event.kind, key: event.key },
    ]);
  });

  test("runs the handler once when fifty deliveries race in two processes", async () => {
    const setup = createReceiverSetup();
    const gate = createGate();
    let calls = 0;
    const handler = async () => {
      calls++;
      await gate.opened;
    };
    const processes = [1, 2].map(() => setup.process({ "message.status.update": handler }));
    const event = messageEvent("SENT", 1);
    const answers = Array.from({ length: 25 }, () => processes.map((process) => process.receive(event))).flat();
    await setup.clock.advance(1000);
    gate.open();
    await setup.clock.advance(1000);
    const outcomes = await Promise.all(answers);
    expect(calls).toBe(1);
    expect(outcomes.filter((outcome) => outcome === "handled")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "duplicate")).toHaveLength(49);
  });

  test("recognizes an event for a week after it was handled, longer than the service retries", async () => {
    const setup = createReceiverSetup();
    const receiver = setup.process({});
    const event = messageEvent("SENT", 1);
    await receiver.receive(event);
    const weekMilliseconds = 604_800_000;
    await setup.clock.advance(weekMilliseconds - 4001);
    const outcomes = [await receiver.answer(event)];
    await setup.clock.advance(weekMilliseconds);
    outcomes.push(await receiver.answer(event));
    expect(outcomes).toEqual(["duplicate", "handled"]);
  });

  test("acknowledges an event at once while a newer one of the message is handled", async () => {
    const setup = createReceiverSetup();
    const gate = createGate();
    const quick = setup.process({});
    const slow = setup.process({ "message.status.update": () => gate.opened });
    await quick.answer(messageEvent("QUEUED", 1));
    const pending = slow.receive(messageEvent("SENT", 2));
    await setup.clock.advance(0);
    const again = quick.receive(messageEvent("QUEUED", 1));
    await setup.clock.advance(0);
    expect(await again).toBe("stale");
    gate.open();
    expect(await pending).toBe("handled");
  });

  test("acknowledges events without a handler, and events of unknown kinds", async () => {
    const setup = createReceiverSetup();
    const event = eventOf({ event: "number.rented", data: { number: "n1" } });
    expect(await setup.process({}).answer(messageEvent("SENT", 1))).toBe("handled");
    expect(await setup.process({}).answer(event)).toBe("handled");
    expect(await setup.process({}).answer(event)).toBe("duplicate");
  });

  test("calls the handler for unknown kinds with an event of an unknown kind", async () => {
    const calls: WebhookEvent[] = [];
    const event = eventOf({ event: "number.rented", data: {} });
    await createReceiverSetup()
      .process({ unknown: (unknown) => void calls.push(unknown) })
      .answer(event);
    expect(calls).toEqual([event]);
  });
});

describe("order", () => {
  test("does not handle SENT after DELIVERED, nor any event after a terminal status", async () => {
    const calls: WebhookEvent[] = [];
    const receiver = createReceiverSetup().process(recording(calls));
    expect(await receiver.answer(messageEvent("DELIVERED", 5))).toBe("handled");
    expect(await receiver.answer(messageEvent("SENT", 4))).toBe("stale");
    expect(await receiver.answer(messageEvent("SENT", 5))).toBe("stale");
    expect(await receiver.answer(messageEvent("SENT", 6))).toBe("stale");
    expect(await receiver.answer(messageEvent("FAILED", 7))).toBe("stale");
    expect(statuses(calls)).toEqual(["DELIVERED"]);
  });

  test("handles a terminal status at the same instant as another status", async () => {
    const calls: WebhookEvent[] = [];
    const receiver = createReceiverSetup().process(recording(calls));
    await receiver.answer(messageEvent("SENT", 5));
    expect(await receiver.answer(messageEvent("DELIVERED", 5))).toBe("handled");
    expect(statuses(calls)).toEqual(["SENT", "DELIVERED"]);
  });

  test("compares instants by value: a fraction is later than no fraction", async () => {
    const calls: WebhookEvent[] = [];
    const receiver = createReceiverSetup().process(recording(calls));
    await receiver.answer(messageEvent("SENT", "05.1"));
    expect(await receiver.answer(messageEvent("QUEUED", "05"))).toBe("stale");
    expect(await receiver.answer(messageEvent("BUFFERED", "05.100001"))).toBe("handled");
    expect(statuses(calls)).toEqual(["SENT", "BUFFERED"]);
  });

  test("handles two different events of the same instant once each", async () => {
    const calls: WebhookEvent[] = [];
    const receiver = createReceiverSetup().process(recording(calls));
    const sms = verificationEvent({ channel: "SMS", channel_status: "FAILED" }, 5);
    const whatsapp = verificationEvent({ channel: "WHATSAPP", channel_status: "SENT" }, 5);
    for (const event of [sms, whatsapp]) expect(await receiver.answer(event)).toBe("handled");
    for (const event of [sms, whatsapp]) expect(await receiver.answer(event)).toBe("duplicate");
    expect(calls).toEqual([sms, whatsapp]);
  });

  test("keeps a record of limited size, even if many events share an instant", async () => {
    const setup = createReceiverSetup();
    const receiver = setup.process({});
    const events = Array.from({ length: 40 }, (_, note) =>
      verificationEvent({ note, channel: `C${note}`, status: "S" }, 5),
    );
    for (const event of events) expect(await receiver.answer(event)).toBe("handled");
    for (const event of events.slice(-32)) expect(await receiver.answer(event)).toBe("duplicate");
    const [record] = await setup.store.get([verificationEntityKey("app", "ver_1")]);
    expect(readEntity(record)).toMatchObject({ keys: { length: 32 }, seen: { attempts: { length: 16 } } });
  });

  test("handles the events of the next channel after FAILED of one channel", async () => {
    const calls: WebhookEvent[] = [];
    const receiver = createReceiverSetup().process(recording(calls));
    await receiver.answer(verificationEvent({ channel: "SMS", status: "FAILED" }, 1));
    await receiver.answer(verificationEvent({ channel: "WHATSAPP", status: "DELIVERED" }, 2));
    expect(await receiver.answer(verificationEvent({ channel: "SMS", status: "SENT" }, 0))).toBe("stale");
    expect(statuses(calls)).toEqual(["FAILED", "DELIVERED"]);
  });

  test("orders each message separately", async () => {
    const calls: WebhookEvent[] = [];
    const receiver = createReceiverSetup().process(recording(calls));
    await receiver.answer(messageEvent("DELIVERED", 5, "msg_1"));
    expect(await receiver.answer(messageEvent("SENT", 1, "msg_2"))).toBe("handled");
  });

  test("handles events that cannot be ordered once each", async () => {
    const calls: WebhookEvent[] = [];
    const receiver = createReceiverSetup().process(recording(calls));
    await receiver.answer(messageEvent("DELIVERED", 5));
    const data = { message_id: "msg_1", status: "SENT", status_updated_at: "yesterday" };
    expect(await receiver.answer(eventOf({ data }))).toBe("handled");
    expect(await receiver.answer(eventOf({ data }))).toBe("duplicate");
    expect(await receiver.answer(eventOf({ data: { ...data, note: 1 } }))).toBe("handled");
  });

  test("never goes back, never repeats and ends at the newest, for any events in any order", async () => {
    const delivery = fc.record({ second: fc.nat(6), status: fc.constantFrom("QUEUED", "SENT", "BUFFERED") });
    await fc.assert(
      fc.asyncProperty(fc.array(delivery, { minLength: 1, maxLength: 12 }), async (deliveries) => {
        const calls: WebhookEvent[] = [];
        const receiver = createReceiverSetup().process(recording(calls));
        for (const { second, status } of deliveries) await receiver.answer(messageEvent(status, second));
        const ranks = calls.map((event) => event.rank);
        expect(ranks).toEqual([...ranks].sort());
        expect(new Set(calls.map((event) => event.key)).size).toBe(calls.length);
        const newest = Math.max(...deliveries.map(({ second }) => second));
        expect(ranks.at(-1)).toBe(messageEvent("SENT", newest).rank);
      }),
      { numRuns: 30 },
    );
  });

  test("starts again from an unreadable record", async () => {
    const setup = createReceiverSetup();
    const receiver = setup.process({});
    await setup.store.put("app:webhook:message.status.update:msg_1", '{"rank":7}', { ttlSeconds: 60 });
    expect(await receiver.answer(messageEvent("SENT", 1))).toBe("handled");
    expect(await receiver.answer(messageEvent("SENT", 1))).toBe("duplicate");
  });
});

describe("events of one message in one process", () => {
  test("are handled one after the other in the order of arrival, without waiting in between", async () => {
    const setup = createReceiverSetup();
    const gate = createGate();
    const steps: unknown[] = [];
    const receiver = setup.process({
      "message.status.update": async ({ data }) => {
        steps.push(data.status);
        await gate.opened;
        steps.push("done");
      },
    });
    const answers = ["QUEUED", "SENT", "DELIVERED"].map((status, second) =>
      receiver.receive(messageEvent(status, second)),
    );
    await setup.clock.advance(0);
    gate.open();
    await setup.clock.advance(0);
    expect(await Promise.all(answers)).toEqual(["handled", "handled", "handled"]);
    expect(steps).toEqual(["QUEUED", "done", "SENT", "done", "DELIVERED", "done"]);
  });
});

describe("a handler that throws", () => {
  test("is not acknowledged, and runs again for the next delivery", async () => {
    const setup = createReceiverSetup();
    const error = new Error("the app's database is down");
    let calls = 0;
    const receiver = setup.process({
      "message.status.update": async () => {
        calls++;
        if (calls === 1) throw error;
      },
    });
    const event = messageEvent("SENT", 1);
    expect(await receiver.answer(event)).toBe("failed");
    expect(await receiver.answer(event)).toBe("handled");
    expect(await receiver.answer(event)).toBe("duplicate");
    expect(calls).toBe(2);
    expect(setup.published[0]).toMatchObject({ type: "webhook.failed", kind: event.kind, key: event.key, error });
  });

  test("is published with the seconds that it took, as is one that succeeds", async () => {
    const setup = createReceiverSetup();
    let calls = 0;
    const receiver = setup.process({
      "message.status.update": async () => {
        await setup.clock.advance(1500);
        if (++calls === 1) throw new Error("the app's database is down");
      },
    });
    const event = messageEvent("SENT", 1);
    await receiver.receive(event);
    await receiver.receive(event);
    expect(setup.published).toMatchObject([
      { type: "webhook.failed", durationSeconds: 1.5 },
      { type: "webhook.handled", durationSeconds: 1.5 },
    ]);
  });

  test("W22: lets no older event follow, and comes again", async () => {
    const setup = createReceiverSetup();
    const failing = setup.process({
      "message.status.update": () => {
        throw new Error("refused");
      },
    });
    expect(await failing.answer(messageEvent("DELIVERED", 5))).toBe("failed");
    expect(await setup.process({}).answer(messageEvent("SENT", 4))).toBe("stale");
    expect(await setup.process({}).answer(messageEvent("DELIVERED", 5))).toBe("handled");
  });

  test("does not run again if a newer event was handled in between", async () => {
    const setup = createReceiverSetup();
    const failing = setup.process({
      "message.status.update": () => {
        throw new Error("refused");
      },
    });
    await failing.answer(messageEvent("SENT", 4));
    expect(await setup.process({}).answer(messageEvent("DELIVERED", 5))).toBe("handled");
    expect(await failing.answer(messageEvent("SENT", 4))).toBe("stale");
  });
});

describe("a handler past the deadline", () => {
  test("is answered four seconds after the first byte, and goes on", async () => {
    const setup = createReceiverSetup();
    const gate = createGate();
    const receiver = setup.process({ "message.status.update": () => gate.opened });
    const answers: string[] = [];
    const event = messageEvent("SENT", 1);
    void receiver.receive(event).then((outcome) => answers.push(outcome));
    await setup.clock.advance(3999);
    expect(answers).toEqual([]);
    await setup.clock.advance(1);
    expect(answers).toEqual(["unfinished"]);
    gate.open();
    await setup.clock.advance(0);
    expect(setup.published.map(({ type }) => type)).toEqual(["webhook.unfinished", "webhook.handled"]);
    expect(await receiver.answer(event)).toBe("duplicate");
  });

  test.each(["the same process", "another process"])(
    "does not run twice at once after a redelivery to %s",
    async (where) => {
      const setup = createReceiverSetup();
      const gate = createGate();
      let calls = 0;
      const handlers = {
        "message.status.update": () => {
          calls++;
          return gate.opened;
        },
      };
      const first = setup.process(handlers);
      const second = where === "the same process" ? first : setup.process(handlers);
      const event = messageEvent("SENT", 1);
      expect(await first.answer(event)).toBe("unfinished");
      await setup.clock.advance(30_000);
      expect(await second.answer(event)).toBe("unfinished");
      gate.open();
      await setup.clock.advance(0);
      expect(await second.answer(event)).toBe("duplicate");
      expect(calls).toBe(1);
    },
  );

  test("does not begin if the time is up before its turn", async () => {
    const setup = createReceiverSetup();
    const gate = createGate();
    const calls: unknown[] = [];
    const receiver = setup.process({
      "message.status.update": async ({ data }) => {
        calls.push(data.status);
        await gate.opened;
      },
    });
    const first = receiver.receive(messageEvent("SENT", 1));
    const second = receiver.receive(messageEvent("DELIVERED", 2));
    await setup.clock.advance(4000);
    expect(await Promise.all([first, second])).toEqual(["unfinished", "unfinished"]);
    gate.open();
    await setup.clock.advance(1000);
    expect(calls).toEqual(["SENT"]);
    expect(setup.published.map(({ type }) => type)).toEqual([
      "webhook.unfinished",
      "webhook.unfinished",
      "webhook.handled",
    ]);
    expect(await receiver.answer(messageEvent("DELIVERED", 2))).toBe("handled");
  });

  test("does not begin if the store answers too late, and releases the entity", async () => {
    const setup = createReceiverSetup();
    const gate = createGate();
    const calls: WebhookEvent[] = [];
    const slowStore: Store = {
      ...setup.store,
      async lease(...args) {
        await gate.opened;
        return setup.store.lease(...args);
      },
    };
    const slow = setup.process(recording(calls), { store: slowStore });
    expect(await slow.answer(messageEvent("SENT", 1))).toBe("unfinished");
    gate.open();
    await setup.clock.advance(0);
    expect(calls).toEqual([]);
    const quick = setup.process(recording(calls)).receive(messageEvent("SENT", 1));
    await setup.clock.advance(0);
    expect(await quick).toBe("handled");
  });

  test("does not begin if the body took longer than that to arrive", async () => {
    const setup = createReceiverSetup();
    const calls: WebhookEvent[] = [];
    const answer = setup.process(recording(calls)).receive(messageEvent("SENT", 1), setup.clock.now() - 4000);
    await setup.clock.advance(0);
    expect(await answer).toBe("unfinished");
    expect(calls).toEqual([]);
  });

  test("leaves no timer behind", async () => {
    const setup = createReceiverSetup();
    const receiver = setup.process({ "message.status.update": () => undefined });
    const answer = receiver.receive(messageEvent("SENT", 1));
    await setup.clock.advance(0);
    expect(await answer).toBe("handled");
    expect(setup.clock.pending).toBe(0);
  });
});

describe("a slow handler", () => {
  test("keeps its entity while it runs, for minutes of other deliveries", async () => {
    const setup = createReceiverSetup();
    const gate = createGate();
    const slow = setup.process({ "message.status.update": () => gate.opened });
    const other = setup.process({});
    await slow.answer(messageEvent("SENT", 1));
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await other.answer(messageEvent("DELIVERED", 2))).toBe("unfinished");
    }
    gate.open();
    await setup.clock.advance(0);
    expect(await other.answer(messageEvent("DELIVERED", 2))).toBe("handled");
  });

  test("is aborted at its limit, and later events of the entity are handled even if it never settles", async () => {
    const setup = createReceiverSetup();
    const signals: AbortSignal[] = [];
    const handled: unknown[] = [];
    const receiver = setup.process({
      "message.status.update": ({ data }, { signal }) => {
        if (data.status !== "SENT") return void handled.push(data.status);
        signals.push(signal);
        return new Promise(() => undefined);
      },
    });
    expect(await receiver.answer(messageEvent("SENT", 1))).toBe("unfinished");
    await setup.clock.advance(55_999);
    expect(signals[0]?.aborted).toBe(false);
    await setup.clock.advance(1);
    expect(signals[0]?.reason).toMatchObject({ name: "TimeoutError" });
    await setup.clock.advance(15_000);
    expect(await receiver.answer(messageEvent("DELIVERED", 2))).toBe("handled");
    expect(handled).toEqual(["DELIVERED"]);
    expect(setup.clock.pending).toBe(0);
  });

  test("counts as failed if it rejects because of the abort", async () => {
    const setup = createReceiverSetup();
    const receiver = setup.process({
      "message.status.update": (_event, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    });
    await receiver.answer(messageEvent("SENT", 1));
    await setup.clock.advance(60_000);
    expect(setup.published.map(({ type }) => type)).toEqual(["webhook.unfinished", "webhook.failed"]);
    expect(await setup.process({}).answer(messageEvent("SENT", 1))).toBe("handled");
  });
});

describe("a process that was superseded", () => {
  /** Creates a process whose clock stands still: it renews no lease while the store's time goes on. */
  function frozenProcess() {
    const setup = createReceiverSetup();
    const gate = createGate();
    const signals: AbortSignal[] = [];
    const clock = createManualClock(setup.clock.now());
    const handlers = {
      "message.status.update": async (_event: WebhookEvent, { signal }: { signal: AbortSignal }) => {
        signals.push(signal);
        await gate.opened;
      },
    };
    return { setup, gate, signals, clock, frozen: setup.process(handlers, { clock }) };
  }

  test("cannot complete its event after another process has completed one", async () => {
    const { setup, gate, clock, frozen } = frozenProcess();
    const answer = frozen.receive(messageEvent("SENT", 1));
    await setup.clock.advance(15_000);
    expect(await setup.process({}).answer(messageEvent("DELIVERED", 2))).toBe("handled");
    const [record] = await setup.store.get(["app:webhook:message.status.update:msg_1"]);
    gate.open();
    await clock.advance(0);
    expect(await answer).toBe("superseded");
    expect(await setup.store.get(["app:webhook:message.status.update:msg_1"])).toEqual([record]);
    expect(setup.published.at(-1)?.type).toBe("webhook.superseded");
  });

  test("cannot release the lease of another process", async () => {
    const { setup, gate, clock, frozen } = frozenProcess();
    const gateOfNext = createGate();
    const answer = frozen.receive(messageEvent("SENT", 1));
    await setup.clock.advance(15_000);
    const next = setup.process({ "message.status.update": () => gateOfNext.opened }).receive(messageEvent("SENT", 2));
    await setup.clock.advance(0);
    gate.open();
    await clock.advance(0);
    expect(await answer).toBe("superseded");
    expect(await setup.process({}).answer(messageEvent("DELIVERED", 3))).toBe("unfinished");
    gateOfNext.open();
    expect(await next).toBe("unfinished");
  });

  test("is aborted when it wakes up, and cannot take the entity back by a renewal", async () => {
    const { setup, gate, signals, clock, frozen } = frozenProcess();
    const answer = frozen.receive(messageEvent("SENT", 1));
    await setup.clock.advance(15_000);
    expect(await setup.process({}).answer(messageEvent("DELIVERED", 2))).toBe("handled");
    await clock.advance(5000);
    expect(await answer).toBe("unfinished");
    expect(signals[0]?.reason).toMatchObject({ name: "AbortError" });
    gate.open();
    await clock.advance(0);
    expect(setup.published.at(-1)?.type).toBe("webhook.superseded");
    expect(await setup.process({}).answer(messageEvent("SENT", 1))).toBe("stale");
  });

  test("completes late if no other process took over", async () => {
    const { setup, gate, clock, frozen } = frozenProcess();
    const answer = frozen.receive(messageEvent("SENT", 1));
    await setup.clock.advance(3_600_000);
    gate.open();
    await clock.advance(0);
    expect(await answer).toBe("handled");
  });
});

describe("a store that fails", () => {
  test("is an outcome, runs no handler, and recovers with the store", async () => {
    const setup = createReceiverSetup();
    const calls: WebhookEvent[] = [];
    const { store, broken } = breakable(setup.store);
    const receiver = setup.process(recording(calls), { store });
    broken.add("lease");
    expect(await receiver.answer(messageEvent("SENT", 1))).toBe("store_unavailable");
    expect(calls).toEqual([]);
    expect(setup.published.map(({ type }) => type)).toEqual(["store.failed"]);
    broken.clear();
    expect(await receiver.answer(messageEvent("SENT", 1))).toBe("handled");
  });

  test("never counts as success if it fails after the handler", async () => {
    const setup = createReceiverSetup();
    const { store, broken } = breakable(setup.store);
    const receiver = setup.process({ "message.status.update": () => void broken.add("settle") }, { store });
    expect(await receiver.answer(messageEvent("SENT", 1))).toBe("store_unavailable");
    broken.clear();
    await setup.clock.advance(15_000);
    expect(await setup.process({}).answer(messageEvent("SENT", 1))).toBe("handled");
  });
});
