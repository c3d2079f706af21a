import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entityKey, keyOfEvent, readEntity } from "../../src/webhooks/entity-record.ts";
import { createReceiverSetup, eventOf, verificationEvent } from "./receiver-setup.ts";

describe("the store key of an entity", () => {
  test("differs for any two ids, is short, and has only plain characters", () => {
    const id = fc.oneof(fc.string({ unit: "binary", minLength: 1 }), fc.string({ minLength: 60, maxLength: 400 }));
    fc.assert(
      fc.property(id, id, (left, right) => {
        const [leftKey, rightKey] = [
          entityKey("app", "verification.update", left),
          entityKey("app", "verification.update", right),
        ];
        expect(leftKey === rightKey).toBe(left === right);
        expect(leftKey).toMatch(/^[\w.:-]{1,110}$/);
      }),
    );
  });

  test("is short for a long id without special characters, too", () => {
    expect(entityKey("app", "verification.update", "a".repeat(65))).toMatch(/:sha256:[0-9a-f]{64}$/);
  });

  test("is separate for an event without an id or a readable instant", () => {
    const noInstant = eventOf({ data: { message_id: "msg_1", status_updated_at: "soon" } });
    const noId = eventOf({ data: { status_updated_at: "2026-09-21T14:13:20Z" } });
    for (const event of [noInstant, noId]) expect(keyOfEvent("app", event)).toBe(`app:webhook:event:${event.key}`);
  });
});

describe("a stored record", () => {
  const seen = { rank: "1", attempts: [] };

  test.each<[string, unknown]>([
    ["a number", 7],
    ["a list", ["1", ["k"]]],
    ["a rank that is no text", { rank: 7, keys: [], final: false }],
    ["a delivery without attempts", { rank: "1", keys: [], final: false, seen: { rank: "1" } }],
    [
      "an attempt without a status",
      { rank: "1", keys: [], final: false, seen: { ...seen, attempts: [{ channel: "SMS" }] } },
    ],
  ])("counts as none if it is %s", (_fault, stored) => {
    expect(readEntity(JSON.stringify(stored))).toEqual({ rank: "", keys: [], final: false });
  });

  test.each([undefined, "", "{", "[1"])("counts as none if it is no JSON: %j", (text) => {
    expect(readEntity(text)).toEqual({ rank: "", keys: [], final: false });
  });

  test("of a size that is limited is left by many events at one instant", async () => {
    const setup = createReceiverSetup();
    const receiver = setup.process({});
    const events = Array.from({ length: 40 }, (_, note) =>
      verificationEvent({ note, channel: `C${note}`, status: "S" }, 5),
    );
    for (const event of events) expect(await receiver.answer(event)).toBe("handled");
    for (const event of events.slice(-32)) expect(await receiver.answer(event)).toBe("duplicate");
    const [record] = await setup.store.get([entityKey("app", "verification.update", "ver_1")]);
    expect(readEntity(record)).toMatchObject({ keys: { length: 32 }, seen: { attempts: { length: 16 } } });
  });

  test("knows the newest 32 events that were more than a day ahead", async () => {
    const setup = createReceiverSetup();
    const receiver = setup.process({});
    const events = Array.from({ length: 40 }, (_, note) =>
      verificationEvent({ note, status: "S", updated_at: "2030-01-01T00:00:00Z" }, 5),
    );
    for (const event of events) expect(await receiver.answer(event)).toBe("handled");
    expect(await receiver.answer(verificationEvent({ status: "S" }, 5))).toBe("handled");
    for (const event of events.slice(-32)) expect(await receiver.answer(event)).toBe("duplicate");
    const [record] = await setup.store.get([entityKey("app", "verification.update", "ver_1")]);
    expect(readEntity(record)).toMatchObject({ ahead: { length: 32 } });
  });
});

async function deliveryOf(setup: ReturnType<typeof createReceiverSetup>, id = "ver_1") {
  const [value] = await setup.store.get([entityKey("app", "verification.update", id)]);
  return readEntity(value).seen;
}

describe("the delivery state of a verification", () => {
  test("is updated by an event whose handler fails, and not downgraded by an older event afterwards", async () => {
    const setup = createReceiverSetup();
    const failing = setup.process({
      "verification.update": () => {
        throw new Error("the app's database is down");
      },
    });
    expect(await failing.answer(verificationEvent({ status: "APPROVED", channel: "SMS" }, 5))).toBe("failed");
    expect(await failing.answer(verificationEvent({ status: "PENDING", channel: "VOICE" }, 4))).toBe("stale");
    expect(await deliveryOf(setup)).toMatchObject({ status: "APPROVED", channel: "SMS" });
  });

  test("keeps the fields that an event omits, and takes status as the channel's status if there is no channel_status", async () => {
    const setup = createReceiverSetup();
    const receiver = setup.process({});
    await receiver.answer(verificationEvent({ status: "SENT", channel: "VIBER" }, 1));
    await receiver.answer(verificationEvent({ note: "nothing known" }, 2));
    expect(await deliveryOf(setup)).toMatchObject({
      status: "SENT",
      channel: "VIBER",
      attempts: [{ channel: "VIBER", status: "SENT" }],
    });
  });

  test("stays readable after an event that names a channel without a status", async () => {
    const setup = createReceiverSetup();
    const receiver = setup.process({});
    await receiver.answer(verificationEvent({ channel: "SMS", channel_status: "FAILED" }, 1));
    await receiver.answer(verificationEvent({ channel: "VOICE" }, 2));
    expect(await deliveryOf(setup)).toMatchObject({
      channel: "VOICE",
      attempts: [{ channel: "SMS", status: "FAILED" }],
    });
  });

  test("contains no phone number", async () => {
    const setup = createReceiverSetup();
    const event = verificationEvent({ status: "PENDING", channel: "SMS", recipient: "+4915112345678" }, 1);
    await setup.process({}).answer(event);
    const [value] = await setup.store.get([entityKey("app", "verification.update", "ver_1")]);
    expect(value).toContain("PENDING");
    expect(value).not.toContain("4915112345678");
  });

  test("is not updated by a verification event that cannot be ordered", async () => {
    const setup = createReceiverSetup();
    const event = eventOf({ event: "verification.update", data: { verification_id: "ver_1", status: "PENDING" } });
    expect(await setup.process({}).answer(event)).toBe("handled");
    expect(await deliveryOf(setup)).toBeUndefined();
  });
});
