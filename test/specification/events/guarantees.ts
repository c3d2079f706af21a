import { expect } from "vitest";
import type { Show } from "../describe-part.ts";
import { startReceiver } from "../support/receiver.ts";
import { cascade, phone, send, startSandbox, verify } from "../support/sandbox.ts";

/** "Delivery guarantees". */
export function showGuarantees({ sandbox }: Show): void {
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

  sandbox("events.guarantees.2", async () => {
    const { receiver } = await overtaken();
    expect(receiver.statuses()).toEqual(["SENT", "DELIVERED", "SENT"]);
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

  sandbox("events.guarantees.4", async () => {
    const running = await startSandbox({ behaviours: { [phone]: "never_delivered" } });
    const receiver = await startReceiver(500);
    running.deliverTo(receiver.url);
    await send(running);
    await running.clock.advance("2h");
    expect(receiver.arrivals).toHaveLength(5);
    expect(new Set(receiver.arrivals.map(({ body }) => body.toString("hex"))).size).toBe(1);
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
