import { expect } from "vitest";
import { setUpWebhooks } from "../../support/webhook-setup.ts";
import type { Show } from "../describe-part.ts";
import { startReceiver } from "../support/receiver.ts";
import { cascade, confirm, otherPhone, phone, send, startSandbox, verify } from "../support/sandbox.ts";

/** The kinds of events, and what they hold. */
export function showKinds({ sandbox, kitOnHosts }: Show): void {
  sandbox("events.kinds.only", async () => {
    const { running, receiver } = await listening();
    running.configure({ behaviours: { [otherPhone]: "only_voice" } });
    await send(running, { recipients: [phone, otherPhone] });
    const approved = await verify(running, { recipient: otherPhone, ...cascade("SMS", "VOICE") });
    await confirm(running, approved.id, approved.wrongCode);
    await confirm(running, approved.id, approved.code);
    running.rotateApiKey();
    running.regenerateSigningSecret();
    running.account.registerSender("Example");
    running.account.rentNumber({ phone: "+4915112340000", applicationId: running.id });
    await running.clock.advance("2h");
    expect([...new Set(receiver.arrivals.map(({ event }) => event))].toSorted()).toEqual([
      "message.status.update",
      "verification.update",
    ]);
  });

  sandbox("events.payloads", async () => {
    const { running, receiver } = await listening();
    await send(running);
    await verify(running);
    await running.clock.advance("1h");
    const names = {
      "message.status.update": ["message_id", "status_updated_at"],
      "verification.update": ["verification_id", "updated_at"],
    };
    expect(receiver.arrivals.length).toBe(5);
    for (const { event, data } of receiver.arrivals) {
      const [id = "", instant = ""] = names[event as keyof typeof names];
      expect([data[id], data[instant]]).toEqual([expect.stringMatching(/./), expect.stringMatching(/^\d{4}-.*Z$/)]);
    }
  });

  kitOnHosts("events.payloads", async (host) => {
    const { deliver, calls } = await setUpWebhooks(host);
    // With nothing but what the specification shows.
    await deliver({ data: { message_id: "m1", status_updated_at: "2026-09-21T14:13:01Z" } });
    await deliver({ data: { verification_id: "v1", updated_at: "2026-09-21T14:13:02Z" } });
    expect(calls.map(({ kind, occurredAt }) => [kind, occurredAt])).toEqual([
      ["message.status.update", "2026-09-21T14:13:01Z"],
      ["verification.update", "2026-09-21T14:13:02Z"],
    ]);
  });
}

async function listening() {
  const running = await startSandbox();
  const receiver = await startReceiver();
  running.deliverTo(receiver.url);
  return { running, receiver };
}
