import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { openPlatforms } from "../support/platforms.ts";
import {
  messageEvent,
  secondsOf,
  setUpWebhooks,
  signed,
  typesOf,
  verificationEvent,
} from "../support/webhook-setup.ts";

const everyStore = await openPlatforms();

describe.each(everyStore(0))("repeated deliveries on $name", (platform) => {
  test("W8: all five attempts of the service get 2xx, and the handler runs once", async () => {
    const { deliver, calls, clock } = await setUpWebhooks(platform);
    for (const delaySeconds of [0, 30, 120, 600, 3600]) {
      await clock.advance(delaySeconds * 1000);
      expect((await deliver(messageEvent("SENT"))).status).toBe(204);
    }
    expect(calls).toHaveLength(1);
  });

  test("W8: forty parallel deliveries to two processes run the handler once", async () => {
    const app = platform.deploy();
    const working = createBarrier();
    const handle = () => working.pass();
    const processes = [await setUpWebhooks(platform, { app, handle }), await setUpWebhooks(platform, { app, handle })];
    const underWay = [];
    for (let delivery = 0; delivery < 20; delivery++) {
      for (const { begin } of processes) underWay.push(await begin(messageEvent("SENT")));
    }
    await working.arrived(1);
    await app.clock.advance(1000);
    working.open();
    await app.clock.advance(1000);
    const answers = await Promise.all(underWay.map(({ answer }) => answer));

    expect(answers.map((answer) => answer.status)).toEqual(Array(40).fill(204));
    expect(processes.flatMap((process) => process.calls)).toHaveLength(1);
    const outcomes = processes.flatMap((process) => typesOf(process.events)).sort();
    expect(outcomes).toEqual([...Array(39).fill("webhook.duplicate"), "webhook.handled"]);
  });

  test.each([
    { what: "of an unknown kind", body: '{"event":"message.received","data":{"message_id":"m1"}}' },
    { what: "without a name", body: '{"data":{"number":"n1"}}' },
    { what: "without data", body: '{"event":"number.rented"}' },
    {
      what: "with members named like those of Object.prototype",
      body: '{"__proto__":{"event":1},"data":{"constructor":1}}',
    },
    { what: "nested ten thousand deep", body: `{"data":${"[".repeat(10_000)}${"]".repeat(10_000)}}` },
  ])("W8: an unknown event $what gets 2xx each time and is handled once", async ({ body }) => {
    const { send, clock, calls } = await setUpWebhooks(platform);
    const first = await send(signed(body, secondsOf(clock)), body);
    const again = await send(signed(body, secondsOf(clock)), body);

    expect([first.status, again.status]).toEqual([204, 204]);
    expect(calls.map((event) => event.kind)).toEqual(["unknown"]);
  });

  test.each(["", "not json", "[]", "null", '"text"', "[".repeat(10_000)])(
    "W8: a signed body that is not an event gets 2xx and is not handled: %#",
    async (body) => {
      const { send, clock, calls, events } = await setUpWebhooks(platform);
      const answer = await send(signed(body, secondsOf(clock)), body);

      expect(answer.status).toBe(204);
      expect(calls).toEqual([]);
      expect(typesOf(events)).toEqual(["webhook.unreadable"]);
    },
  );
});

describe.each(everyStore(1))("two events at the same instant, on $name", (platform) => {
  const sms = verificationEvent({ channel: "SMS", channel_status: "FAILED" });
  const whatsapp = verificationEvent({ channel: "WHATSAPP", channel_status: "SENT" });

  test("W17: both are handled when they race to two processes, never at the same time", async () => {
    const app = platform.deploy();
    const working = createBarrier();
    let atOnce = 0;
    let maxAtOnce = 0;
    const handle = async () => {
      maxAtOnce = Math.max(maxAtOnce, ++atOnce);
      await working.pass();
      atOnce--;
    };
    const [left, right] = [
      await setUpWebhooks(platform, { app, handle }),
      await setUpWebhooks(platform, { app, handle }),
    ];
    const first = await left.begin(sms);
    const second = await right.begin(whatsapp);
    await working.arrived(1);
    await app.clock.advance(1000);
    working.open();
    await app.clock.advance(1000);

    expect((await first.answer).status).toBe(204);
    expect((await second.answer).status).toBe(204);
    expect([...left.calls, ...right.calls].map((event) => event.data.channel)).toEqual(["SMS", "WHATSAPP"]);
    expect(maxAtOnce).toBe(1);
  });
});
