import type { Sandbox } from "@doorcode/sandbox";
import { expect, onTestFinished, vi } from "vitest";
import type { Show } from "../describe-part.ts";
import { type Arrival, expectedSignature, type Receiver, startReceiver } from "../support/receiver.ts";
import { accepted, message, startService } from "../support/recorded-service.ts";
import { call, messageRequest, phone, send, startSandbox } from "../support/sandbox.ts";

/** "Webhook authenticity": how the service signs. */
export function showSigning({ sandbox, kit }: Show): void {
  sandbox("authentication.signature.1", async () => {
    // Bytes outside ASCII, which serializers write in different ways.
    const running = await startSandbox();
    running.faults.add({ on: "webhook", action: { type: "odd_json" } });
    const { arrival } = await oneDelivery(running);
    expect(arrival.body.toString()).not.toBe(JSON.stringify(JSON.parse(arrival.body.toString())));
    expect(arrival.headers["x-webhook-signature"]).toBe(expectedSignature(running.env.WEBHOOK_SECRET, arrival));
    const other = { headers: arrival.headers, body: Buffer.from(`${arrival.body} `) };
    expect(arrival.headers["x-webhook-signature"]).not.toBe(expectedSignature(running.env.WEBHOOK_SECRET, other));
  });

  sandbox("authentication.signature.4", async () => {
    const running = await startSandbox();
    const before = running.env.WEBHOOK_SECRET;
    const receivers = await threeDestinations(running, 500);
    const after = running.regenerateSigningSecret();
    expect([running.env.WEBHOOK_SECRET, after === before]).toEqual([after, false]);
    // What was under way is signed anew as well.
    await running.clock.advance("30s");
    expect(receivers.map(({ arrivals }) => arrivals.length)).toEqual([2, 2, 2]);
    expect(await signedWith(receivers, after)).toEqual([true, true, true]);
    expect(await signedWith(receivers, before)).toEqual([false, false, false]);
  });

  sandbox("authentication.signature.4-once", async () => {
    const { url } = await startSandbox();
    const control = `${url}/_sandbox/applications`;
    const post = async (target: string) => {
      const response = await fetch(target, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      });
      return (await response.json()) as { readonly id: string; readonly signingSecret: string };
    };
    const { id, signingSecret: first } = await post(control);
    const { signingSecret: second } = await post(`${control}/${id}/signing_secret`);
    expect(new Set([first, second, undefined, ""]).size).toBe(4);

    const pages = [
      url,
      control,
      `${control}/${id}/application`,
      `${control}/${id}/endpoints`,
      `${url}/_sandbox/account`,
    ];
    for (const page of pages) {
      const response = await fetch(page);
      const text = await response.text();
      expect([page, response.status, text.includes(first), text.includes(second)]).toEqual([page, 200, false, false]);
    }
  });

  sandbox("authentication.notes.integrity", async () => {
    const running = await startSandbox();
    const strict = running.createApplication({ dialect: { httpTargets: "refused" } });
    const to = (application: typeof strict, callback_url: string) =>
      call({ ...running, env: application.env }, "POST /messages", messageRequest({ callback_url }));
    expect((await to(strict, "http://127.0.0.1:9/webhooks")).status).toBe(422);
    expect((await to(strict, "https://app.example.com/webhooks")).status).toBe(200);
    expect(
      (await call(running, "POST /messages", messageRequest({ callback_url: "http://app.example.com/" }))).status,
    ).toBe(422);
    expect(() => strict.deliverTo("http://127.0.0.1:9/webhooks")).toThrow(TypeError);
  });

  kit("authentication.notes.integrity", async () => {
    const { client, requests } = await startService({ body: accepted.message });
    const open = { ...message, callback_url: "http://app.example.com/webhooks" };
    await expect(client.messages.send(open)).rejects.toMatchObject({ code: "service_invalid_request" });
    expect(requests).toEqual([]);
  });

  sandbox("authentication.notes.fresh", async () => {
    // 14:13:20.999 is still the second 1790000000.
    vi.useFakeTimers({ toFake: ["Date"], now: 1_790_000_000_999 });
    onTestFinished(() => void vi.useRealTimers());
    const { running, receiver } = await oneDelivery(undefined, 500);
    vi.setSystemTime(1_790_000_030_999);
    await running.clock.advance("30s");

    const [first, second] = receiver.arrivals.map(({ headers }) => headers);
    expect([first, second].map((headers) => headers?.["x-webhook-timestamp"])).toEqual(["1790000000", "1790000030"]);
    expect(first?.["x-webhook-signature"]).not.toBe(second?.["x-webhook-signature"]);
    expect(await signedWith([receiver], running.env.WEBHOOK_SECRET)).toEqual([true]);
  });
}

/** Lets exactly one event be delivered: SENT, of a message without an outcome. */
async function oneDelivery(given?: Sandbox, ...answers: number[]) {
  const running = given ?? (await startSandbox());
  running.configure({ behaviours: { [phone]: "never_delivered" } });
  const receiver = await startReceiver(...answers);
  running.deliverTo(receiver.url);
  await send(running);
  await running.clock.advance("1s");
  const [arrival] = receiver.arrivals;
  if (!arrival || receiver.arrivals.length > 1)
    throw new Error(`${receiver.arrivals.length} deliveries in place of one.`);
  return { running, receiver, arrival };
}

/** Two endpoints, and the `callback_url` of a request, with one delivery each. */
async function threeDestinations(running: Sandbox, ...answers: number[]): Promise<readonly Receiver[]> {
  running.configure({ behaviours: { [phone]: "never_delivered" } });
  const receivers = [await startReceiver(...answers), await startReceiver(...answers), await startReceiver(...answers)];
  const [one, two, callback] = receivers.map(({ url }) => url);
  running.endpoints.add({ target: one ?? "" });
  running.endpoints.add({ target: two ?? "" });
  await send(running);
  await send(running, { callback_url: callback });
  await running.clock.advance("1s");
  return receivers;
}

/** Tells of each receiver whether its newest delivery is signed with the secret. */
async function signedWith(receivers: readonly Receiver[], secret: string): Promise<readonly boolean[]> {
  const newest = receivers
    .map(({ arrivals }) => arrivals.at(-1))
    .filter((arrival): arrival is Arrival => arrival !== undefined);
  return newest.map((arrival) => arrival.headers["x-webhook-signature"] === expectedSignature(secret, arrival));
}
