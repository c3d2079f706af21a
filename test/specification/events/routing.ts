import { expect } from "vitest";
import type { Show } from "../describe-part.ts";
import { startReceiver } from "../support/receiver.ts";
import { cascade, confirm, phone, send, startSandbox, verify } from "../support/sandbox.ts";

/** "Registration and routing". */
export function showRouting({ sandbox }: Show): void {
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
}
