import { describe, expect, test } from "vitest";
import type { Sandbox } from "../src/index.ts";
import { control } from "./support/control.ts";
import { sendForm } from "./support/page.ts";
import { type Arrival, addReceiver, createReceiver, expectedSignature, serve } from "./support/receiver.ts";
import { messageRequest, post, start } from "./support/start.ts";

/** Makes one delivery to a receiver, which answers with the given statuses, and resolves when its first attempt is made. */
async function deliverOne(...statuses: number[]) {
  const { sandbox } = await start({ clock: "frozen" });
  const receiver = addReceiver(sandbox, ...statuses);
  await post(sandbox, "/messages", messageRequest());
  await sandbox.clock.advance("50ms");
  const delivery = sandbox.deliveries.list()[0] ?? expect.fail();
  return { sandbox, receiver, delivery, last: () => receiver.arrivals.at(-1) as Arrival };
}

const secretOf = (sandbox: Sandbox) => sandbox.env.WEBHOOK_SECRET;

describe("sent again with changes", () => {
  test("another body is signed and sent as it stands", async () => {
    const { sandbox, delivery, last } = await deliverOne(204);
    const body = '{ "event": "message.status.update", "data": {} }';
    await sandbox.deliveries.sendAgain(delivery.id, { body });
    expect(last().bytes).toBe(body);
    expect(last().headers.get("x-webhook-signature")).toBe(expectedSignature(secretOf(sandbox), last()));
  });

  test("a timestamp that is off is signed correctly", async () => {
    const { sandbox, delivery, last } = await deliverOne(204);
    const before = Math.floor(Date.now() / 1000);
    await sandbox.deliveries.sendAgain(delivery.id, { timestampOffsetSeconds: -600 });
    const offset = Number(last().headers.get("x-webhook-timestamp")) - before;
    expect([-600, -599]).toContain(offset);
    expect(last().headers.get("x-webhook-signature")).toBe(expectedSignature(secretOf(sandbox), last()));
  });

  test("a signature by a wrong secret has the right form, and a missing one is no header", async () => {
    const { sandbox, delivery, last } = await deliverOne(204);
    await sandbox.deliveries.sendAgain(delivery.id, { signature: "wrong_secret" });
    const wrong = last().headers.get("x-webhook-signature");
    expect(wrong).toMatch(/^v1=[0-9a-f]{64}$/);
    expect(wrong).not.toBe(expectedSignature(secretOf(sandbox), last()));
    await sandbox.deliveries.sendAgain(delivery.id, { signature: "missing" });
    expect(last().headers.has("x-webhook-signature")).toBe(false);
    expect(last().headers.has("x-webhook-timestamp")).toBe(true);
  });

  test("the attempt is recorded beside the others, and counts for neither the delivery nor the endpoint", async () => {
    const { sandbox, delivery } = await deliverOne(500, 204, 500);
    const failing = sandbox.endpoints.list();
    const accepted = await sandbox.deliveries.sendAgain(delivery.id, { body: "{}" });
    expect(accepted).toMatchObject({ status: "pending", nextAttemptAt: delivery.nextAttemptAt });
    expect(accepted.attempts).toMatchObject([
      { cause: "schedule", status: 500 },
      { cause: "send_changed", status: 204, changes: { body: "{}" } },
    ]);
    expect(sandbox.endpoints.list()).toEqual(failing);
  });

  test("a refusal does not make a healthy endpoint fail", async () => {
    const { sandbox, delivery } = await deliverOne(204, 401);
    const refused = await sandbox.deliveries.sendAgain(delivery.id, { signature: "missing" });
    expect(refused.status).toBe("delivered");
    expect(sandbox.endpoints.list()).toMatchObject([{ failingSince: undefined }]);
  });

  test("faults do not change the attempt", async () => {
    const { sandbox, delivery, receiver } = await deliverOne(204);
    sandbox.faults.add({ on: "message.status.update", action: { type: "drop" } });
    await sandbox.deliveries.sendAgain(delivery.id, { signature: "missing" });
    expect(receiver.arrivals).toHaveLength(2);
  });

  test.each([
    { changes: { signature: "none" }, field: "signature" },
    { changes: { timestampOffsetSeconds: 0.5 }, field: "timestampOffsetSeconds" },
    { changes: { body: {} }, field: "body" },
    { changes: { secret: "x" }, field: "secret" },
  ])("a wrong $field is refused by the control API, and nothing is sent", async ({ changes, field }) => {
    const { sandbox, delivery, receiver } = await deliverOne(204);
    const answer = await control(sandbox, "POST", `/deliveries/${delivery.id}/send_again`, changes);
    expect(answer).toMatchObject({ status: 422, body: { field } });
    expect(receiver.arrivals).toHaveLength(1);
  });

  test("the control API takes the changes as a body", async () => {
    const { sandbox, delivery } = await deliverOne(204, 401);
    const answer = await control(sandbox, "POST", `/deliveries/${delivery.id}/send_again`, { signature: "missing" });
    expect(answer.body).toMatchObject({ attempts: [{}, { status: 401, changes: { signature: "missing" } }] });
  });

  test("the page shows the answer to the changes beside the answer to the original", async () => {
    const { sandbox, delivery } = await deliverOne(204, 401);
    const path = `/applications/default/webhooks/${delivery.id}`;
    const send = `/applications/default/deliveries/${delivery.id}/send_changed`;
    const pretty = JSON.stringify(JSON.parse(delivery.payload), null, 2);
    const unchanged = { body: pretty.replaceAll("\n", "\r\n"), timestampOffsetSeconds: "0", signature: "missing" };
    const { html } = await sendForm(sandbox, send, unchanged, path);
    expect(html).toMatch(/Answer to the original 204, /);
    expect(html).toMatch(/Answer to the changes 401, /);
    expect(sandbox.deliveries.list()[0]?.attempts[1]?.changes).toEqual({
      timestampOffsetSeconds: 0,
      signature: "missing",
    });
    await sendForm(sandbox, send, { ...unchanged, body: "{\r\n}" }, path);
    expect(sandbox.deliveries.list()[0]?.attempts[2]?.changes?.body).toBe("{\n}");
  });
});

describe("the check of an endpoint", () => {
  test("is in the program, the control API and the page, and records no delivery", async () => {
    const { sandbox } = await start();
    const url = await serve(createReceiver(404));
    sandbox.deliverTo(url);
    const [endpoint] = sandbox.endpoints.list();
    const id = endpoint?.id ?? "";
    const findings = await sandbox.endpoints.check(id);
    expect(findings).toMatchObject([{ level: "problem", code: "no_endpoint" }]);
    expect((await control(sandbox, "POST", `/endpoints/${id}/check`)).body).toEqual({ findings });
    const { html } = await sendForm(sandbox, `/applications/default/endpoints/${id}/check`);
    expect(html).toContain("The endpoint has a problem.");
    expect(html).toContain(findings[0]?.text);
    expect(sandbox.deliveries.list()).toEqual([]);
    expect(sandbox.endpoints.list()).toMatchObject([{ failingSince: undefined }]);
  });

  test("signs with the secret of the application", async () => {
    const { sandbox } = await start();
    const receiver = createReceiver(401);
    sandbox.deliverTo(await serve(receiver));
    await sandbox.endpoints.check(sandbox.endpoints.list()[0]?.id ?? "");
    const [arrival] = receiver.arrivals;
    expect(arrival?.headers.get("x-webhook-signature")).toBe(arrival && expectedSignature(secretOf(sandbox), arrival));
  });

  test("is refused for a handler in this process", async () => {
    const { sandbox } = await start();
    addReceiver(sandbox, 204);
    await expect(sandbox.endpoints.check(sandbox.endpoints.list()[0]?.id ?? "")).rejects.toThrow(TypeError);
  });

  test("signs nothing with the published secret for another machine", async () => {
    const { sandbox } = await start({ allowRemoteWebhooks: true });
    const { id } = sandbox.endpoints.add({ target: "https://app.example/webhooks" });
    const check = sandbox.endpoints.check(id);
    await expect(check).rejects.toMatchObject({ field: "url", expected: expect.stringContaining("token") });
  });
});
