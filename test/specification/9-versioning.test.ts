import { expect } from "vitest";
import { instant, messageEvent, setUpWebhooks, verificationEvent } from "../support/webhook-setup.ts";
import { describePart } from "./describe-part.ts";
import { expectedSignature, startReceiver } from "./support/receiver.ts";
import { send, startSandbox } from "./support/sandbox.ts";

describePart(9, ({ sandbox, kitOnHosts }) => {
  kitOnHosts("versioning.1", async (host) => {
    const { deliver, calls } = await setUpWebhooks(host);
    await deliver(messageEvent("SENT"));
    await deliver(verificationEvent({ status: "PENDING" }));
    // A kind of a later version is acknowledged as unknown.
    const later = await deliver({ event: "number.rented", data: { number_id: "n1", updated_on: instant(1) } });
    expect(later.status).toBe(204);
    expect(calls.map(({ kind }) => kind)).toEqual(["message.status.update", "verification.update", "unknown"]);
  });

  sandbox("versioning.2", async () => {
    const running = await startSandbox();
    const receiver = await startReceiver();
    running.deliverTo(receiver.url);
    await send(running);
    running.faults.add({ on: "webhook", action: { type: "extra_signature" }, times: 1 });
    await running.clock.advance("1m");

    const [later, today] = receiver.arrivals;
    const entries = String(later?.headers["x-webhook-signature"])
      .split(",")
      .map((entry) => entry.trim());
    expect(entries.map((entry) => entry.slice(0, 3)).toSorted()).toEqual(["v1=", "v2="]);
    if (later) expect(entries).toContain(expectedSignature(running.env.WEBHOOK_SECRET, later));
    expect(today?.headers["x-webhook-signature"]).toMatch(/^v1=[0-9a-f]{64}$/);
  });
});
