import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DoorcodeEvent } from "../../src/options.ts";
import type { Store } from "../../src/store/store.ts";
import { createManualClock } from "../../src/testing.ts";
import type { WebhookEvent } from "../../src/webhooks/event.ts";
import type { Inbox, InboxEntry } from "../../src/webhooks/inbox.ts";
import { createInboxReceiver } from "../../src/webhooks/receiver.ts";
import { bodyOf, createGate, createReceiverSetup, eventOf, messageEvent, verificationEvent } from "./receiver-setup.ts";

/** Creates handlers that record their events. */
function recording(calls: WebhookEvent[]) {
  const note = (event: WebhookEvent) => void calls.push(event);
  return { "message.status.update": note, "verification.update": note, unknown: note };
}

describe("duplicates", () => {
  test("are recognized for a week after the event was handled, longer than the service retries", async () => {
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

  test("and older events are acknowledged at once while a newer one of the message is handled", async () => {
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

  test("of events without a handler are recognized, and those of unknown kinds have a handler of their own", async () => {
    const setup = createReceiverSetup();
    const calls: WebhookEvent[] = [];
    const event = eventOf({ event: "number.rented", data: { number: "n1" } });
    const receiver = setup.process({ unknown: (unknown) => void calls.push(unknown) });
    const outcomes: string[] = [];
    for (const each of [messageEvent("SENT", 1), messageEvent("SENT", 1), event, event]) {
      outcomes.push(await receiver.answer(each));
    }
    expect(outcomes).toEqual(["handled", "duplicate", "handled", "duplicate"]);
    expect(calls).toEqual([event]);
  });
});

describe("order", () => {
  test("does not bind events that cannot be ordered, and handles them once each", async () => {
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

  test("keep their order when one of them waits for too long", async () => {
    const setup = createReceiverSetup();
    const gate = createGate();
    const calls: unknown[] = [];
    const receiver = setup.process({
      "message.status.update": async ({ data }) => {
        calls.push(data.status);
        await gate.opened;
      },
    });
    const first = receiver.receive(messageEvent("QUEUED", 1));
    const late = receiver.receive(messageEvent("SENT", 2));
    await setup.clock.advance(3000);
    const last = receiver.receive(messageEvent("DELIVERED", 3));
    await setup.clock.advance(1000);
    const callsMeanwhile = [...calls];
    gate.open();
    await setup.clock.advance(0);
    expect(callsMeanwhile).toEqual(["QUEUED"]);
    expect(await Promise.all([first, late, last])).toEqual(["unfinished", "unfinished", "handled"]);
    expect(calls).toEqual(["QUEUED", "DELIVERED"]);
  });
});

describe("a handler", () => {
  test("that throws or returns is published with the seconds that it took", async () => {
    const setup = createReceiverSetup();
    const error = new Error("the app's database is down");
    let calls = 0;
    const receiver = setup.process({
      "message.status.update": async () => {
        await setup.clock.advance(1500);
        if (++calls === 1) throw error;
      },
    });
    const event = messageEvent("SENT", 1);
    for (let delivery = 0; delivery < 3; delivery++) await receiver.receive(event);
    const named = { kind: event.kind, key: event.key };
    expect(setup.published).toEqual([
      { type: "webhook.failed", ...named, durationSeconds: 1.5, error },
      { type: "webhook.handled", ...named, durationSeconds: 1.5 },
      { type: "webhook.duplicate", ...named },
    ]);
  });

  test("is announced under the key of its entity, also when it throws: login pages wait for that", async () => {
    const setup = createReceiverSetup();
    const receiver = setup.process({ "verification.update": () => Promise.reject(new Error("refused")) });
    await receiver.answer(verificationEvent({ status: "SENT" }, 1));
    await receiver.answer(messageEvent("SENT", 1));
    expect(setup.announced).toEqual([
      "app:webhook:verification.update:ver_1",
      "app:webhook:message.status.update:msg_1",
    ]);
  });

  test("that throws does not run again if a newer event was handled in between", async () => {
    const setup = createReceiverSetup();
    const failing = setup.process({ "message.status.update": () => Promise.reject(new Error("refused")) });
    await failing.answer(messageEvent("SENT", 4));
    expect(await setup.process({}).answer(messageEvent("DELIVERED", 5))).toBe("handled");
    expect(await failing.answer(messageEvent("SENT", 4))).toBe("stale");
  });

  test("does not begin if the store answers too late, and its entity is released", async () => {
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

  test("does not begin if the body took longer than four seconds to arrive", async () => {
    const setup = createReceiverSetup();
    const calls: WebhookEvent[] = [];
    const answer = setup.process(recording(calls)).receive(messageEvent("SENT", 1), setup.clock.now() - 4000);
    await setup.clock.advance(0);
    expect(await answer).toBe("unfinished");
    expect(calls).toEqual([]);
    expect(setup.published.map(({ type }) => type)).toEqual(["webhook.unfinished"]);
  });

  test("leaves no timer behind", async () => {
    const setup = createReceiverSetup();
    const receiver = setup.process({ "message.status.update": () => undefined });
    const answer = receiver.receive(messageEvent("SENT", 1));
    await setup.clock.advance(0);
    expect(await answer).toBe("handled");
    expect(setup.clock.pending).toBe(0);
  });

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

  test("W16: is aborted at its limit, and the next event need not wait for it in the process", async () => {
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

describe("a process whose clock stands still", () => {
  function setUpFrozen() {
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

  test("W12: is aborted when it wakes up after another process took over, and takes nothing back", async () => {
    const { setup, gate, signals, clock, frozen } = setUpFrozen();
    const answer = frozen.receive(messageEvent("SENT", 1));
    await setup.clock.advance(15_000);
    expect(await setup.process({}).answer(messageEvent("DELIVERED", 2))).toBe("handled");
    const [record] = await setup.store.get(["app:webhook:message.status.update:msg_1"]);
    await clock.advance(5000);
    expect(await answer).toBe("unfinished");
    expect(signals[0]?.reason).toMatchObject({ name: "AbortError" });
    gate.open();
    await clock.advance(0);
    expect(setup.published.at(-1)?.type).toBe("webhook.superseded");
    expect(await setup.store.get(["app:webhook:message.status.update:msg_1"])).toEqual([record]);
  });

  test("completes late if no other process took over", async () => {
    const { setup, gate, clock, frozen } = setUpFrozen();
    const answer = frozen.receive(messageEvent("SENT", 1));
    await setup.clock.advance(3_600_000);
    gate.open();
    await clock.advance(0);
    expect(await answer).toBe("handled");
  });
});

test("an error of the store is published if the store has not published it", async () => {
  const setup = createReceiverSetup();
  const error = new Error("connection refused");
  const receiver = setup.process({}, { store: { ...setup.store, lease: () => Promise.reject(error) } });
  expect(await receiver.answer(messageEvent("SENT", 1))).toBe("store_unavailable");
  expect(setup.published).toEqual([{ type: "store.failed", error }]);
});

describe("a receiver with an inbox", () => {
  const unused = () => Promise.reject(new Error("Not used in this test."));

  function setUpReceiver(add: Inbox["add"]) {
    const clock = createManualClock();
    const published: DoorcodeEvent[] = [];
    const inbox: Inbox = { add, work: unused, deadLetters: unused, replay: unused, close: unused };
    const receiver = createInboxReceiver(inbox, { clock, publish: (event) => void published.push(event) });
    return { clock, published, receiver, now: clock.now() };
  }

  test("stores the key and the body of an event before it acknowledges", async () => {
    const kept: InboxEntry[] = [];
    const { receiver, now, published, clock } = setUpReceiver(async (entry) => void kept.push(entry));
    const event = messageEvent("SENT", 1);
    expect(await receiver.receive(event, now)).toBe("handled");
    expect(kept).toEqual([{ key: event.key, body: new TextDecoder().decode(bodyOf(event.payload)) }]);
    expect(published).toEqual([{ type: "webhook.persisted", kind: event.kind, key: event.key }]);
    expect(clock.pending).toBe(0);
  });

  test("stores a body that is not an event under the digest of its bytes", async () => {
    const kept: InboxEntry[] = [];
    const { receiver, now } = setUpReceiver(async (entry) => void kept.push(entry));
    const bodies = [new Uint8Array([0xff, 0x00]), new Uint8Array([0xfe, 0x00]), new Uint8Array()];
    for (const body of bodies) expect(await receiver.receiveUnreadable(body, now)).toBe("handled");
    expect(kept.map(({ body }) => body)).toEqual(["\ufffd\0", "\ufffd\0", ""]);
    expect(new Set(kept.map(({ key }) => key)).size).toBe(3);
    // printf '' | sha256sum
    expect(kept[2]?.key).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });

  test("does not acknowledge an event that the inbox rejects, and publishes the error", async () => {
    const error = new Error("no room");
    const { receiver, now, published } = setUpReceiver(() => Promise.reject(error));
    expect(await receiver.receive(messageEvent("SENT", 1), now)).toBe("store_unavailable");
    expect(published).toEqual([{ type: "inbox.failed", error }]);
  });

  test("stops waiting four seconds after the first byte", async () => {
    const { receiver, now, clock, published } = setUpReceiver(() => Promise.withResolvers<void>().promise);
    await clock.advance(1000);
    const answer = receiver.receive(messageEvent("SENT", 1), now);
    await clock.advance(2999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await answer).toBe("store_unavailable");
    expect(published).toEqual([{ type: "inbox.failed", error: expect.any(Error) }]);
  });
});
