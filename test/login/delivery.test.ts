import { describe, expect, test } from "vitest";
import { setUpLogin } from "../support/login-setup.ts";
import { openPlatforms } from "../support/platforms.ts";
import { deliverVerification, webhookSecret as secret } from "./deliver-verification.ts";

const { pairwise } = await openPlatforms();

describe.each(pairwise)("the delivery of a code on $name, codes of $owner", (platform) => {
  test("L17: shows a webhook that arrived before the service's answer", async () => {
    const login = await setUpLogin(platform, { options: { webhooks: { secret } } });
    let early = 0;
    login.service.onCreate = async ({ id }) => {
      const data = { verification_id: id, status: "PENDING", channel: "SMS", updated_at: "2026-09-21T14:13:20.5Z" };
      early = await deliverVerification(login, data);
      return undefined;
    };
    const browser = await login.started();
    const state = await browser.get("/login/state");

    expect(early).toBe(204);
    expect(state.json.delivery).toEqual({
      status: "sending",
      channel: "SMS",
      attempts: [{ channel: "SMS", status: "sending" }],
    });
  });

  test("W21: an event more than a day ahead is shown until the next event, and hides none", async () => {
    const login = await setUpLogin(platform, { options: { webhooks: { secret } } });
    const browser = await login.started();
    const deliveryAfter = async (channel_status: string, updated_at: string) => {
      const data = { verification_id: "ver_1", status: "PENDING", channel: "SMS", channel_status, updated_at };
      expect(await deliverVerification(login, data)).toBe(204);
      return (await browser.get("/login/state")).json.delivery;
    };

    expect(await deliveryAfter("SENT", "2029-09-21T14:13:21Z")).toMatchObject({ status: "sent" });
    expect(await deliveryAfter("DELIVERED", "2026-09-21T14:13:22Z")).toMatchObject({ status: "delivered" });
  });

  test("lists the attempt of each channel, and an older event changes none of them", async () => {
    const login = await setUpLogin(platform, { options: { webhooks: { secret } } });
    const browser = await login.started();
    const deliverStatus = (channel: string, channel_status: string, second: number) =>
      deliverVerification(login, {
        verification_id: "ver_1",
        status: "PENDING",
        channel,
        channel_status,
        updated_at: `2026-09-21T14:13:2${second}Z`,
      });
    await deliverStatus("SMS", "FAILED", 1);
    await deliverStatus("WHATSAPP", "DELIVERED", 3);
    await deliverStatus("SMS", "SENT", 0);
    const state = await browser.get("/login/state");

    expect(state.json.delivery).toEqual({
      status: "delivered",
      channel: "WHATSAPP",
      attempts: [
        { channel: "SMS", status: "failed" },
        { channel: "WHATSAPP", status: "delivered" },
      ],
    });
  });
});
