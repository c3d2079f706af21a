import { expect } from "vitest";
import { instant, messageEvent, setUpWebhooks, statuses, verificationEvent } from "../support/webhook-setup.ts";
import { describePart } from "./describe-part.ts";
import { startReceiver } from "./support/receiver.ts";
import { cascade, confirm, otherPhone, phone, send, startSandbox, verify } from "./support/sandbox.ts";

describePart(3, ({ sandbox, kitOnHosts }) => {
  sandbox("states.messages.names", async () => {
    const running = await startSandbox({ behaviours: { [otherPhone]: "sms_fails" } });
    await send(running, { recipients: [phone, otherPhone] });
    await running.clock.advance("1m");
    const seen = running.inbox.list().flatMap(({ timeline }) => timeline.map(({ status }) => status));
    expect(new Set(seen)).toEqual(new Set(["QUEUED", "SENT", "FAILED", "DELIVERED"]));
  });

  kitOnHosts("states.messages.names", async (host) => {
    const { deliver, calls } = await setUpWebhooks(host);
    for (const [second, status] of ["QUEUED", "SENT", "DELIVERED"].entries()) {
      await deliver(messageEvent(status, instant(second)));
    }
    await deliver(messageEvent("FAILED", instant(0), "msg_2"));
    expect(statuses(calls)).toEqual(["QUEUED", "SENT", "DELIVERED", "FAILED"]);
  });

  sandbox("states.messages.row-1", async () => {
    const running = await startSandbox();
    const receiver = await startReceiver();
    running.deliverTo(receiver.url);
    // The clock stands still: nothing that waits for time has happened.
    const [entry] = await send(running);
    expect([entry?.status, running.inbox.list().map(({ status }) => status)]).toEqual(["QUEUED", ["QUEUED"]]);
    expect(receiver.arrivals).toEqual([]);
  });

  sandbox("states.messages.row-2", async () => {
    const running = await startSandbox({ behaviours: { [phone]: "sms_fails" } });
    expect(await toldOfOneMessage(running)).toEqual(["message.status.update SENT", "message.status.update FAILED"]);
  });

  sandbox("states.messages.row-3", async () => {
    const running = await startSandbox();
    expect(await toldOfOneMessage(running)).toEqual(["message.status.update SENT", "message.status.update DELIVERED"]);
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

  sandbox("states.verification.2", async () => {
    const running = await startSandbox({ behaviours: { [phone]: "only_voice" } });
    const receiver = await startReceiver();
    running.deliverTo(receiver.url);
    const { id, code } = await verify(running, cascade("SMS", "VOICE"));
    await running.clock.advance("1m");
    await confirm(running, id, code);
    await running.clock.advance("1s");

    const events = receiver.arrivals.map(({ event, data }) => [
      event,
      data.channel,
      data.channel_status ?? data.status,
    ]);
    expect(events).toEqual([
      ["verification.update", "SMS", "SENT"],
      ["verification.update", "SMS", "FAILED"],
      ["verification.update", "VOICE", "SENT"],
      ["verification.update", "VOICE", "DELIVERED"],
      ["verification.update", undefined, "APPROVED"],
    ]);
  });

  kitOnHosts("states.verification.3", async (host) => {
    const { deliver, calls } = await setUpWebhooks(host);
    const values = ["PENDING", "in_progress", "ganz fertig", "42"];
    for (const [second, status] of values.entries()) await deliver(verificationEvent({ status }, instant(second)));
    expect(statuses(calls)).toEqual(values);
  });

  sandbox("states.verification.4", async () => {
    const running = await startSandbox();
    const wrong = await verify(running);
    expect((await confirm(running, wrong.id, wrong.wrongCode)).status).toBe(400);

    const exhausted = await verify(running, { recipient: otherPhone });
    for (let attempt = 0; attempt < 5; attempt++) await confirm(running, exhausted.id, exhausted.wrongCode);
    expect((await confirm(running, exhausted.id, exhausted.code)).status).toBe(400);

    const expired = await verify(running, { recipient: "+4915112340003" });
    await running.clock.advance("10m");
    expect((await confirm(running, expired.id, expired.code)).status).toBe(400);
  });
});

/** The events of one message from its creation to its end. */
async function toldOfOneMessage(running: Awaited<ReturnType<typeof startSandbox>>): Promise<readonly string[]> {
  const receiver = await startReceiver();
  running.deliverTo(receiver.url);
  await send(running);
  await running.clock.advance("1h");
  return receiver.arrivals.map(({ event, data }) => `${event} ${data.status}`);
}
