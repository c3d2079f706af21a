import { describe, expect, test } from "vitest";
import { type LoginSetup, setUpLogin } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";
import { askBlock, deliverVerification, webhookSecret as secret } from "./deliver-verification.ts";

describe.each(inMemory)("the delivery of a code on $name, codes of $owner", (platform) => {
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
});

const limits = { mode: "enforce", cooldownSeconds: 0 } as const;
/** Reports the first two verifications as the service does: a channel, its status, and that of the whole. */
async function report(login: LoginSetup, statuses: readonly string[]) {
  for (const [index, { id: verification_id, recipient }] of login.service.created.slice(0, 2).entries()) {
    for (const [second, words] of statuses.entries()) {
      const [channel, channel_status, status] = words.split(" ");
      const updated_at = `2026-09-21T14:13:2${second}Z`;
      const data = { verification_id, recipient, channel, channel_status, status, updated_at };
      expect(await deliverVerification(login, data)).toBe(204);
      // The service may deliver an event twice.
      if (index === 0) expect(await deliverVerification(login, data)).toBe(204);
    }
  }
}

describe.each(inMemory)("codes for a block of numbers on $name, codes of $owner", (platform) => {
  test.each([
    {
      what: "that the service could not deliver are no suspicion, and each is taken off once",
      statuses: ["SMS FAILED PENDING", "SMS FAILED FAILED"],
      sent: 4,
    },
    {
      what: "that were delivered before the verification failed stay counted, as after too many wrong codes",
      statuses: ["SMS DELIVERED PENDING", "SMS DELIVERED FAILED"],
      sent: 2,
    },
    { what: "that may still be delivered on another channel stay counted", statuses: ["SMS FAILED PENDING"], sent: 2 },
    {
      what: "of which one channel was delivered stay counted",
      statuses: ["SMS FAILED PENDING", "WHATSAPP DELIVERED PENDING", "WHATSAPP DELIVERED FAILED"],
      sent: 2,
    },
  ])("L25: $what", async ({ statuses, sent }) => {
    const login = await setUpLogin(platform, { login: { limits }, options: { webhooks: { secret } } });
    expect(await askBlock(login, 0, 4)).toBe(4);
    await report(login, statuses);
    expect(await askBlock(login, 4, 14)).toBe(sent);
  });
});
