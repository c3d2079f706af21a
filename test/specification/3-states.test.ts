import { expect } from "vitest";
import { instant, setUpWebhooks, statuses, verificationEvent } from "../support/webhook-setup.ts";
import { describePart } from "./describe-part.ts";
import { startReceiver } from "./support/receiver.ts";
import { otherPhone, phone, send, startSandbox, verify } from "./support/sandbox.ts";

describePart(3, ({ sandbox, kitOnHosts }) => {
  sandbox("states.messages.row-1", async () => {
    const running = await startSandbox();
    const receiver = await startReceiver();
    running.deliverTo(receiver.url);
    // The clock stands still: nothing that waits for time has happened.
    const [entry] = await send(running);
    expect([entry?.status, running.inbox.list().map(({ status }) => status)]).toEqual(["QUEUED", ["QUEUED"]]);
    expect(receiver.arrivals).toEqual([]);
  });

  sandbox("states.messages.typical", async () => {
    const running = await startSandbox({ behaviours: { [otherPhone]: "sms_fails" } });
    const receiver = await startReceiver();
    running.deliverTo(receiver.url);
    const entries = await send(running, { recipients: [phone, otherPhone] });
    await running.clock.advance("1m");
    const events = entries.map(({ message_id }) =>
      receiver.arrivals.filter(({ data }) => data.message_id === message_id).map(({ data }) => data.status),
    );
    expect(events).toEqual([
      ["SENT", "DELIVERED"],
      ["SENT", "FAILED"],
    ]);
  });

  sandbox("states.verification.1", async () => {
    const running = await startSandbox({ behaviours: { [phone]: "only_voice", [otherPhone]: "never_delivered" } });
    const shuffled = [
      { channel_name: "VOICE", priority: 3 },
      { channel_name: "SMS", priority: 1 },
      { channel_name: "WHATSAPP", priority: 2 },
    ];
    const channelsTo = (to: string) => running.inbox.list({ to }).map(({ channel }) => channel);

    // Failures move on at once.
    await verify(running, { channels: shuffled });
    expect(channelsTo(phone)).toEqual(["SMS"]);
    await running.clock.advance("2s");
    expect(channelsTo(phone)).toEqual(["SMS", "WHATSAPP", "VOICE"]);

    // Silence moves on when it has lasted too long.
    await verify(running, { recipient: otherPhone, channels: shuffled });
    await running.clock.advance("19s");
    expect(channelsTo(otherPhone)).toEqual(["SMS"]);
    await running.clock.advance("1s");
    expect(channelsTo(otherPhone)).toEqual(["SMS", "WHATSAPP"]);
    await running.clock.advance("20s");
    expect(channelsTo(otherPhone)).toEqual(["SMS", "WHATSAPP", "VOICE"]);
  });

  kitOnHosts("states.verification.3", async (host) => {
    const { deliver, calls } = await setUpWebhooks(host);
    const values = ["PENDING", "in_progress", "ganz fertig", "42"];
    for (const [second, status] of values.entries()) await deliver(verificationEvent({ status }, instant(second)));
    expect(statuses(calls)).toEqual(values);
  });
});
