import { describe, expect, test } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { createManualClock } from "../../src/testing.ts";
import type { WebhookEvent } from "../../src/webhooks/event.ts";
import { createGate, createReceiverSetup, eventOf, messageEvent, verificationEvent } from "./receiver-setup.ts";

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
});

test("W10: a delivery whose time to be answered is over is left to the next one: its handler does not begin", async () => {
  const calls: WebhookEvent[] = [];
  const setup = createReceiverSetup();
  const receiver = setup.process(recording(calls));
  const arrivedAt = setup.clock.now();
  await setup.clock.advance(4000);
  expect(await receiver.receive(messageEvent("SENT", 1), arrivedAt)).toBe("unfinished");
  expect(calls).toEqual([]);
  expect(await receiver.answer(messageEvent("SENT", 1))).toBe("handled");
});

describe("order", () => {
  test("W13, W21: holds for an older event also in a process whose clock is days behind", async () => {
    const calls: WebhookEvent[] = [];
    const setup = createReceiverSetup();
    const behind = createManualClock(setup.clock.now() - 172_800_000);
    await setup.process(recording(calls)).answer(verificationEvent({ status: "DELIVERED" }, 5));
    const late = setup.process(recording(calls), { clock: behind });
    expect(await late.answer(verificationEvent({ status: "SENT" }, 4))).toBe("stale");
    expect(calls.map(({ data }) => data.status)).toEqual(["DELIVERED"]);
  });

  test("does not bind events that cannot be ordered, and handles them once each", async () => {
    const calls: WebhookEvent[] = [];
    const receiver = createReceiverSetup().process(recording(calls));
    await receiver.answer(messageEvent("DELIVERED", 5));
    const data = { message_id: "msg_1", status: "SENT", status_updated_at: "yesterday" };
    expect(await receiver.answer(eventOf({ data }))).toBe("handled");
    expect(await receiver.answer(eventOf({ data }))).toBe("duplicate");
    expect(await receiver.answer(eventOf({ data: { ...data, note: 1 } }))).toBe("handled");
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
      { type: "webhook.handled", ...named, durationSeconds: 1.5, lagSeconds: 22 },
      { type: "webhook.duplicate", ...named },
    ]);
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
});
