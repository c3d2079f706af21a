import { describe, expect, test } from "vitest";
import type { SandboxApplication, WebhookAction } from "../src/index.ts";
import { type Arrival, addReceiver, createReceiver, expectedSignature } from "./support/receiver.ts";
import { messageRequest, post, start } from "./support/start.ts";

/** Sends a message whose webhooks go to the receiver, with one fault, and waits until it is delivered. */
async function sendWithFault(action: WebhookAction, receiver = createReceiver()) {
  const { sandbox, clock } = await start();
  sandbox.deliverTo(receiver.handler);
  sandbox.faults.add({ on: "webhook", status: "SENT", action });
  await post(sandbox, "/messages", messageRequest());
  await sandbox.clock.advance("1s");
  return { sandbox, clock, receiver };
}

const signatureOf = ({ headers }: Arrival) => headers.get("x-webhook-signature");
const arrivalAt = ({ arrivals }: ReturnType<typeof createReceiver>, index: number) => arrivals[index] ?? expect.fail();
const attemptsOf = (sandbox: SandboxApplication) => sandbox.deliveries.list()[0]?.attempts;

describe("a fault on webhooks", () => {
  test("reorders: SENT arrives right after DELIVERED", async () => {
    const { receiver } = await sendWithFault({ type: "reorder" });
    expect(receiver.statuses()).toEqual(["DELIVERED", "SENT"]);
  });

  test("reorders: SENT arrives after ten seconds when no event follows", async () => {
    const { sandbox } = await start({ behaviours: { "+4915112345678": "never_delivered" } });
    const receiver = addReceiver(sandbox);
    sandbox.faults.add({ on: "webhook", action: { type: "reorder" } });
    await post(sandbox, "/messages", messageRequest());
    await sandbox.clock.advance("9s");
    const early = receiver.statuses();
    await sandbox.clock.advance("2s");
    expect([early, receiver.statuses()]).toEqual([[], ["SENT"]]);
  });

  test("reorders, and an event that came after ten seconds keeps its retry schedule when another follows later", async () => {
    const { sandbox } = await start({
      behaviours: { "+4915112345678": "slow" },
      settings: { slowOutcomeSeconds: 20 },
    });
    addReceiver(sandbox, 500);
    sandbox.faults.add({ on: "webhook", status: "SENT", action: { type: "reorder" } });
    await post(sandbox, "/messages", messageRequest());
    await sandbox.clock.advance("1m");
    const [sent] = sandbox.deliveries.list();
    const seconds = sent?.attempts.map(({ at }) => (Date.parse(at) - Date.parse(sent.createdAt)) / 1000);
    expect(seconds).toEqual([10, 40]);
  });

  test("sends twice at the same moment", async () => {
    const { sandbox, receiver } = await sendWithFault({ type: "duplicate" });
    expect(receiver.statuses()).toEqual(["SENT", "SENT", "DELIVERED"]);
    expect(attemptsOf(sandbox)?.map(({ cause }) => cause)).toEqual(["schedule", "duplicate"]);
    expect(receiver.arrivals[0]?.bytes).toBe(receiver.arrivals[1]?.bytes);
  });

  test("delays an event by seconds of the application's clock", async () => {
    const { sandbox, receiver } = await sendWithFault({ type: "delay", seconds: 60 });
    expect(receiver.statuses()).toEqual(["DELIVERED"]);
    await sandbox.clock.advance("1m");
    expect(receiver.statuses()).toEqual(["DELIVERED", "SENT"]);
  });

  test("drops an attempt, and the schedule makes the next", async () => {
    const { sandbox, clock } = await start();
    const receiver = addReceiver(sandbox);
    sandbox.faults.add({ on: "webhook", status: "SENT", action: { type: "drop" }, times: 1 });
    await post(sandbox, "/messages", messageRequest());
    await clock.advance(60);
    await sandbox.clock.advance("40s");
    expect(attemptsOf(sandbox)?.map(({ error, status }) => error ?? status)).toEqual(["dropped", 204]);
    expect(receiver.statuses()).toEqual(["DELIVERED", "SENT"]);
  });

  test("sends unusual JSON of the same value, with the same bytes and a valid signature in each attempt", async () => {
    const { sandbox, receiver } = await sendWithFault({ type: "odd_json" }, createReceiver(500, 204, 204));
    await sandbox.clock.advance("40s");
    const first = arrivalAt(receiver, 0);
    expect(first.payload).toMatchObject({ event: "message.status.update", data: { status: "SENT" } });
    expect(first.bytes).not.toBe(JSON.stringify(first.payload));
    expect(arrivalAt(receiver, 2).bytes).toBe(first.bytes);
    expect(signatureOf(first)).toBe(expectedSignature(sandbox.env.WEBHOOK_SECRET, first));
  });

  test("signs with another secret of the right form when there was none before", async () => {
    const { sandbox, receiver } = await sendWithFault({ type: "two_secrets" });
    const first = arrivalAt(receiver, 0);
    const [other, own] = signatureOf(first)?.split(",") ?? [];
    expect(own).toBe(expectedSignature(sandbox.env.WEBHOOK_SECRET, first));
    expect(other).toMatch(/^v1=[0-9a-f]{64}$/);
    expect(other).not.toBe(own);
  });

  test("applies all faults of a signature together", async () => {
    const { sandbox } = await start();
    const receiver = addReceiver(sandbox);
    const secrets = [sandbox.env.WEBHOOK_SECRET, sandbox.regenerateSigningSecret()];
    for (const type of ["two_secrets", "extra_signature", "corrupt_signature"] as const) {
      sandbox.faults.add({ on: "webhook", action: { type } });
    }
    sandbox.faults.add({ on: "webhook", action: { type: "stale_timestamp", seconds: 600 } });
    await post(sandbox, "/messages", messageRequest());
    await sandbox.clock.advance("1s");
    const first = arrivalAt(receiver, 0);
    const [extra, ...entries] = signatureOf(first)?.split(",") ?? [];
    const right = secrets.map((secret) => expectedSignature(secret, first));
    expect(Number(first.headers.get("x-webhook-timestamp"))).toBeLessThanOrEqual(Date.now() / 1000 - 600);
    expect(extra).toMatch(/^v2=/);
    expect(entries.map((entry) => entry.slice(0, -1))).toEqual(right.map((entry) => entry.slice(0, -1)));
    expect(entries.every((entry, index) => /^v1=[0-9a-f]{64}$/.test(entry) && entry !== right[index])).toBe(true);
  });

  test("cuts the connection, which is a failed attempt", async () => {
    const { sandbox } = await sendWithFault({ type: "cut" });
    expect(attemptsOf(sandbox)?.map(({ error }) => error)).toEqual(["cut"]);
  });

  test("is recorded as a firing with its target", async () => {
    const { sandbox } = await sendWithFault({ type: "duplicate" });
    const [delivery] = sandbox.deliveries.list();
    expect(sandbox.faults.firings()).toMatchObject([
      { action: { type: "duplicate" }, subjectId: delivery?.subjectId, deliveryId: delivery?.id },
    ]);
  });
});

test.each([
  ["+491713920051", ["SENT", "SENT", "DELIVERED", "DELIVERED"]],
  ["+491713920061", ["DELIVERED", "SENT"]],
])("the events of %s arrive as its range requires", async (phone, statuses) => {
  const { sandbox } = await start();
  const receiver = addReceiver(sandbox);
  await post(sandbox, "/messages", messageRequest({ recipients: [phone] }));
  await sandbox.clock.advance("1s");
  expect(receiver.statuses()).toEqual(statuses);
});
