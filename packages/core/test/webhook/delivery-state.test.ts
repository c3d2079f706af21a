import { describe, expect, it } from "vitest";
import { verificationEntityKey } from "../../src/webhook/entity.ts";
import { readDelivery } from "../../src/webhook/order.ts";
import { createBench, eventOf, verificationEvent } from "./bench.ts";

async function deliveryOf(bench: ReturnType<typeof createBench>, id = "ver_1") {
  const [value] = await bench.store.get([verificationEntityKey("app", id)]);
  return readDelivery(value);
}

describe("the delivery state of a verification", () => {
  it("is stored for the login page even without a handler", async () => {
    const bench = createBench();
    const receiver = bench.process({});
    await receiver.answer(verificationEvent({ status: "PENDING", channel: "SMS", channel_status: "FAILED" }, 1));
    await receiver.answer(verificationEvent({ status: "PENDING", channel: "WHATSAPP", channel_status: "SENT" }, 2));
    await receiver.answer(
      verificationEvent({ status: "PENDING", channel: "WHATSAPP", channel_status: "DELIVERED" }, 3),
    );
    expect(await deliveryOf(bench)).toMatchObject({
      status: "PENDING",
      channel: "WHATSAPP",
      attempts: [
        { channel: "SMS", status: "FAILED" },
        { channel: "WHATSAPP", status: "DELIVERED" },
      ],
    });
  });

  it("is updated by an event whose handler fails, and not downgraded by an older event afterwards", async () => {
    const bench = createBench();
    const failing = bench.process({
      "verification.update": () => {
        throw new Error("the app's database is down");
      },
    });
    expect(await failing.answer(verificationEvent({ status: "APPROVED", channel: "SMS" }, 5))).toBe("failed");
    expect(await failing.answer(verificationEvent({ status: "PENDING", channel: "VOICE" }, 4))).toBe("failed");
    expect(await deliveryOf(bench)).toMatchObject({ status: "APPROVED", channel: "SMS" });
  });

  it("keeps the fields that an event omits, and takes status as the channel's status if there is no channel_status", async () => {
    const bench = createBench();
    const receiver = bench.process({});
    await receiver.answer(verificationEvent({ status: "SENT", channel: "VIBER" }, 1));
    await receiver.answer(verificationEvent({ note: "nothing known" }, 2));
    expect(await deliveryOf(bench)).toMatchObject({
      status: "SENT",
      channel: "VIBER",
      attempts: [{ channel: "VIBER", status: "SENT" }],
    });
  });

  it("contains no phone number", async () => {
    const bench = createBench();
    const event = verificationEvent({ status: "PENDING", channel: "SMS", recipient: "+4915112345678" }, 1);
    await bench.process({}).answer(event);
    const [value] = await bench.store.get([verificationEntityKey("app", "ver_1")]);
    expect(value).toContain("PENDING");
    expect(value).not.toContain("4915112345678");
  });

  it("is written and read under the same key, for any id", async () => {
    const bench = createBench();
    for (const id of ["ver:1", "ver 1", "ü", "v".repeat(500), "sha256"]) {
      await bench.process({}).answer(verificationEvent({ status: "PENDING" }, 1, id));
      expect((await deliveryOf(bench, id))?.status).toBe("PENDING");
      expect(verificationEntityKey("app", id).length).toBeLessThan(120);
    }
  });

  it("is undefined before the first event, and for an unreadable record", async () => {
    const bench = createBench();
    expect(await deliveryOf(bench)).toBeUndefined();
    for (const value of ["", "{", "null", "[]", '{"rank":1}']) expect(readDelivery(value)).toBeUndefined();
  });

  it("is not updated by a verification event that cannot be ordered", async () => {
    const bench = createBench();
    const event = eventOf({ event: "verification.update", data: { verification_id: "ver_1", status: "PENDING" } });
    expect(await bench.process({}).answer(event)).toBe("handled");
    expect(await deliveryOf(bench)).toBeUndefined();
  });
});
