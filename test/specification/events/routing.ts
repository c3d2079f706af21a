import { expect } from "vitest";
import { instant, messageEvent, setUpWebhooks, verificationEvent } from "../../support/webhook-setup.ts";
import type { Show } from "../describe-part.ts";
import { startReceiver } from "../support/receiver.ts";
import { cascade, confirm, phone, send, startSandbox, verify } from "../support/sandbox.ts";

/** "Registration and routing". */
export function showRouting({ sandbox, kitOnHosts }: Show): void {
  sandbox("events.registration.1", async () => {
    const running = await startSandbox();
    const [messages, verifications, both] = [await startReceiver(), await startReceiver(), await startReceiver()];
    running.endpoints.add({ target: messages.url, events: ["message.status.update"] });
    running.endpoints.add({ target: verifications.url, events: ["verification.update"] });
    running.endpoints.add({ target: both.url });
    await send(running);
    await verify(running);
    await running.clock.advance("1s");
    const got = [messages, verifications, both].map(({ arrivals }) => arrivals.map(({ event }) => event).toSorted());
    const [message, verification] = ["message.status.update", "verification.update"];
    expect(got).toEqual([
      [message, message],
      [verification, verification],
      [message, message, verification, verification],
    ]);
    for (const target of ["http://app.example.com/webhooks", "ftp://localhost/", "localhost:3000"]) {
      expect(() => running.endpoints.add({ target })).toThrow(TypeError);
    }
  });

  sandbox("events.registration.2", async () => {
    const running = await startSandbox({ behaviours: { [phone]: "never_delivered" } });
    const [endpoint, callback] = [await startReceiver(), await startReceiver()];
    await send(running);
    await running.clock.advance("1s");
    expect(running.deliveries.list()).toEqual([]);

    running.deliverTo(endpoint.url);
    await send(running);
    await running.clock.advance("1s");
    expect([endpoint.arrivals.length, callback.arrivals.length]).toEqual([1, 0]);

    await send(running, { callback_url: callback.url });
    await running.clock.advance("1s");
    expect([endpoint.arrivals.length, callback.arrivals.length]).toEqual([1, 1]);
  });

  sandbox("events.registration.3", async () => {
    const running = await startSandbox({ behaviours: { [phone]: "only_voice" } });
    const receiver = await startReceiver();
    running.deliverTo(receiver.url);
    const [entry] = await send(running);
    const { id, code } = await verify(running, cascade("SMS", "WHATSAPP", "VOICE"));
    await running.clock.advance("1m");
    await confirm(running, id, code);
    await running.clock.advance("1s");

    const about = (subject: string | undefined) =>
      receiver.arrivals.filter(({ data }) => Object.values(data).includes(subject ?? ""));
    expect(about(entry?.message_id).map(({ data }) => data.status)).toEqual(["SENT", "FAILED"]);
    expect(about(id).map(({ data }) => `${data.channel} ${data.channel_status ?? data.status}`)).toEqual([
      ...["SMS SENT", "SMS FAILED", "WHATSAPP SENT", "WHATSAPP FAILED", "VOICE SENT", "VOICE DELIVERED"],
      "undefined APPROVED",
    ]);
  });

  kitOnHosts("events.registration.3", async (host) => {
    const { deliver, calls } = await setUpWebhooks(host);
    await deliver(messageEvent("SENT", instant(1)));
    await deliver(messageEvent("DELIVERED", instant(2)));
    await deliver(verificationEvent({ channel: "SMS", channel_status: "FAILED" }, instant(3)));
    await deliver(verificationEvent({ channel: "VOICE", channel_status: "SENT" }, instant(4)));
    await deliver(verificationEvent({ status: "APPROVED" }, instant(5)));
    expect(calls.map(({ data }) => data.message_id ?? data.verification_id)).toEqual([
      "msg_1",
      "msg_1",
      "ver_1",
      "ver_1",
      "ver_1",
    ]);
  });
}
