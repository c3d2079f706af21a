import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { setUpLogin } from "../support/login-bench.ts";
import { cases } from "./cases.ts";

const secret = "whsec_of_the_tests";

/** Signs and posts an event as the specification says, with nothing of the kit. */
async function deliver(url: string, nowMilliseconds: number, data: Record<string, unknown>): Promise<number> {
  const body = JSON.stringify({ event: "verification.update", data });
  const timestamp = String(Math.floor(nowMilliseconds / 1000));
  const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-webhook-timestamp": timestamp,
    "x-webhook-signature": `v1=${signature}`,
  };
  return (await fetch(`${url}/webhooks`, { method: "POST", headers, body })).status;
}

describe.each(cases)("delivery on the login page on $place.name, codes owned by $owner", ({ place, codes }) => {
  test("L17: a webhook that comes before the service's answer is found", async () => {
    const bench = await setUpLogin(place, { codes, options: { webhooks: { secret } } });
    let early = 0;
    bench.service.onCreate = async ({ id }) => {
      const data = { verification_id: id, status: "PENDING", channel: "SMS", updated_at: "2026-09-21T14:13:20.5Z" };
      early = await deliver(bench.url, bench.clock.now(), data);
      return undefined;
    };
    const browser = await bench.started();
    const state = await browser.get("/login/state");

    expect(early).toBe(204);
    expect(state.json.delivery).toMatchObject({ channel: "SMS", status: "PENDING" });
  });

  test("a fallback is told channel by channel, and an older event changes nothing", async () => {
    const bench = await setUpLogin(place, { codes, options: { webhooks: { secret } } });
    const browser = await bench.started();
    const tell = (channel: string, channel_status: string, second: number) =>
      deliver(bench.url, bench.clock.now(), {
        verification_id: "ver_1",
        status: "PENDING",
        channel,
        channel_status,
        updated_at: `2026-09-21T14:13:2${second}Z`,
      });
    await tell("SMS", "FAILED", 1);
    await tell("WHATSAPP", "DELIVERED", 3);
    await tell("SMS", "SENT", 0);
    const state = await browser.get("/login/state");

    expect(state.json.delivery).toEqual({
      status: "PENDING",
      channel: "WHATSAPP",
      attempts: [
        { channel: "SMS", status: "FAILED" },
        { channel: "WHATSAPP", status: "DELIVERED" },
      ],
    });
  });
});
