import { expect } from "vitest";
import {
  instant,
  messageEvent,
  setUpWebhooks,
  statuses,
  typesOf,
  verificationEvent,
} from "../../support/webhook-setup.ts";
import type { Show } from "../describe-part.ts";
import { startReceiver } from "../support/receiver.ts";
import { cascade, phone, send, startSandbox, verify } from "../support/sandbox.ts";

/** "Delivery guarantees". */
export function showGuarantees({ sandbox, kitOnHosts }: Show): void {
  sandbox("events.guarantees.1", async () => {
    const running = await startSandbox();
    const receiver = await startReceiver();
    running.deliverTo(receiver.url);
    await send(running);
    running.faults.add({ on: "webhook", status: "DELIVERED", action: { type: "duplicate" } });
    await running.clock.advance("1m");
    expect(receiver.statuses()).toEqual(["SENT", "DELIVERED", "DELIVERED"]);
    const [, first, second] = receiver.arrivals;
    expect(first?.body.equals(second?.body ?? Buffer.of())).toBe(true);
  });

  kitOnHosts("events.guarantees.1", async (host) => {
    const { deliver, calls, events } = await setUpWebhooks(host);
    const answers = [await deliver(messageEvent("SENT")), await deliver(messageEvent("SENT"))];
    expect([answers.map(({ status }) => status), calls.length]).toEqual([[204, 204], 1]);
    expect(typesOf(events)).toEqual(["webhook.handled", "webhook.duplicate"]);
  });

  sandbox("events.guarantees.2", async () => {
    const { receiver } = await overtaken();
    expect(receiver.statuses()).toEqual(["SENT", "DELIVERED", "SENT"]);
  });

  kitOnHosts("events.guarantees.2", async (host) => {
    const { deliver, calls } = await setUpWebhooks(host);
    await deliver(messageEvent("DELIVERED", instant(2)));
    const late = await deliver(messageEvent("SENT", instant(1)));
    expect([late.status, statuses(calls)]).toEqual([204, ["DELIVERED"]]);
  });

  sandbox("events.guarantees.3", async () => {
    const { receiver } = await overtaken();
    const [first, delivered, again] = receiver.arrivals.map(({ data }) => Date.parse(data.status_updated_at ?? ""));
    expect([first === again, Number(delivered) > Number(again)]).toEqual([true, true]);

    // No two events of a verification share an instant, however close they are.
    const settings = { sentAfterMilliseconds: 0, outcomeAfterMilliseconds: 0 };
    const running = await startSandbox({ behaviours: { [phone]: "only_voice" }, settings });
    const verifications = await startReceiver();
    running.deliverTo(verifications.url);
    await verify(running, cascade("SMS", "WHATSAPP", "VOICE"));
    await running.clock.advance("1h");
    const instants = verifications.arrivals.map(({ data }) => Date.parse(data.updated_at ?? ""));
    expect(instants.length).toBe(7);
    expect(new Set(instants).size).toBe(7);
  });

  kitOnHosts("events.guarantees.3", async (host) => {
    const { deliver, calls, clock } = await setUpWebhooks(host);
    for (const payload of [
      messageEvent("BUFFERED", instant(5)),
      verificationEvent({ status: "PENDING" }, instant(5)),
    ]) {
      await deliver(payload);
    }
    // Later attempts, with later timestamps: of older events.
    await clock.advance(3_600_000);
    for (const payload of [messageEvent("SENT", instant(4)), verificationEvent({ status: "STARTED" }, instant(4))]) {
      expect((await deliver(payload)).status).toBe(204);
    }
    expect(statuses(calls)).toEqual(["BUFFERED", "PENDING"]);
  });

  sandbox("events.guarantees.4", async () => {
    const running = await startSandbox({ behaviours: { [phone]: "never_delivered" } });
    const receiver = await startReceiver(500);
    running.deliverTo(receiver.url);
    await send(running);
    await running.clock.advance("2h");
    expect(receiver.arrivals).toHaveLength(5);
    expect(new Set(receiver.arrivals.map(({ body }) => body.toString("hex"))).size).toBe(1);
  });

  kitOnHosts("events.guarantees.4", async (host) => {
    const { deliver, calls, clock } = await setUpWebhooks(host);
    for (const delaySeconds of [0, 30, 120, 600, 3600]) {
      await clock.advance(delaySeconds * 1000);
      expect((await deliver(verificationEvent({ status: "PENDING" }))).status).toBe(204);
    }
    expect(calls).toHaveLength(1);
  });
}

/** A message whose SENT is refused at first, and comes again after DELIVERED. */
async function overtaken() {
  const running = await startSandbox();
  const receiver = await startReceiver(500, 204);
  running.deliverTo(receiver.url);
  await send(running);
  await running.clock.advance("1m");
  return { running, receiver };
}
