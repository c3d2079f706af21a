import { describe, expect, test } from "vitest";
import { readDelivery, verificationEntityKey } from "../../src/webhooks/entity-record.ts";
import { createReceiverSetup, eventOf, verificationEvent } from "./receiver-setup.ts";

async function deliveryOf(setup: ReturnType<typeof createReceiverSetup>, id = "ver_1") {
  const [value] = await setup.store.get([verificationEntityKey("app", id)]);
  return readDelivery(value);
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
    const [value] = await setup.store.get([verificationEntityKey("app", "ver_1")]);
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
