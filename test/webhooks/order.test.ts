import { describe, expect, test } from "vitest";
import { deployOn } from "../support/deployment.ts";
import { openPlatforms } from "../support/platforms.ts";
import { instant, messageEvent, setUpWebhooks, statuses, verificationEvent } from "../support/webhook-setup.ts";

const { everyStore } = await openPlatforms();

describe.each(everyStore(0))("the order of events on $name", (platform) => {
  test.each([
    { older: "2026-09-21T14:13:05Z", newer: "2026-09-21T14:13:05.1Z" },
    { older: "2026-09-21T14:13:05.9Z", newer: "2026-09-21T14:13:05.90001Z" },
    { older: "2026-09-21T14:13:05.000001Z", newer: "2026-09-21T14:13:05.000002Z" },
    { older: "2026-09-21T14:13:05.123456788Z", newer: "2026-09-21T14:13:05.123456789Z" },
    { older: "2026-09-21T16:13:04+02:00", newer: "2026-09-21T14:13:05Z" },
    { older: "2026-09-21T14:13:05Z", newer: "2026-09-21T09:13:06-05:00" },
    { older: "2026-09-22T00:30:00+05:45", newer: "2026-09-21T23:46:00+05:00" },
  ])("W13: $newer is later than $older, in whatever order they arrive", async ({ older, newer }) => {
    const inOrder = await setUpWebhooks(platform);
    await inOrder.deliver(messageEvent("QUEUED", older));
    await inOrder.deliver(messageEvent("SENT", newer));
    const reversed = await setUpWebhooks(platform);
    await reversed.deliver(messageEvent("SENT", newer));
    const overtaken = await reversed.deliver(messageEvent("QUEUED", older));

    expect(statuses(inOrder.calls)).toEqual(["QUEUED", "SENT"]);
    expect(statuses(reversed.calls)).toEqual(["SENT"]);
    expect(overtaken.status).toBe(204);
  });

  test.each([
    ["2026-09-21T14:13:05Z", "2026-09-21T14:13:05Z"],
    ["2026-09-21T14:13:05.10Z", "2026-09-21T14:13:05.1Z"],
    ["2026-09-21T14:13:05Z", "2026-09-21T16:13:05+02:00"],
  ])("W13: an event at an equal instant is handled: %s and %s", async (first, second) => {
    const { deliver, calls } = await setUpWebhooks(platform);
    await deliver(messageEvent("QUEUED", first));
    await deliver(messageEvent("SENT", second));

    expect(statuses(calls)).toEqual(["QUEUED", "SENT"]);
  });

  test.each(["DELIVERED", "FAILED"])(
    "W13: %s wins at an equal instant and no later event replaces it",
    async (terminal) => {
      const { deliver, calls } = await setUpWebhooks(platform);
      const other = terminal === "FAILED" ? "DELIVERED" : "FAILED";
      await deliver(messageEvent("SENT", instant(5)));
      await deliver(messageEvent(terminal, instant(5)));
      for (const second of [4, 5, 6]) {
        expect((await deliver(messageEvent("SENT", instant(second)))).status).toBe(204);
        expect((await deliver(messageEvent(other, instant(second)))).status).toBe(204);
      }

      expect(statuses(calls)).toEqual(["SENT", terminal]);
    },
  );

  test("W13: events of a verification are ordered by their instant alone", async () => {
    const { deliver, calls } = await setUpWebhooks(platform);
    await deliver(verificationEvent({ channel: "SMS", status: "FAILED" }, instant(5)));
    await deliver(verificationEvent({ channel: "WHATSAPP", status: "DELIVERED" }, instant(6)));
    await deliver(verificationEvent({ channel: "SMS", status: "SENT" }, instant(4)));
    await deliver(verificationEvent({ status: "EXPIRED" }, instant(7)));

    expect(statuses(calls)).toEqual(["FAILED", "DELIVERED", "EXPIRED"]);
  });

  test("W13: the time of a delivery attempt does not count", async () => {
    const { deliver, calls, clock } = await setUpWebhooks(platform);
    await deliver(messageEvent("BUFFERED", instant(5)));
    await clock.advance(3_600_000);
    await deliver(messageEvent("SENT", instant(4)));

    expect(statuses(calls)).toEqual(["BUFFERED"]);
  });
});

describe.each(everyStore(0))("two applications on one store, on $name", (platform) => {
  test("a kit with a name of its own handles its events, whatever the other application reports about the same id", async () => {
    const app = deployOn(platform);
    const [ours, theirs] = [
      await setUpWebhooks(platform, { app }),
      await setUpWebhooks(platform, { app, name: "theirs" }),
    ];
    await theirs.deliver(messageEvent("DELIVERED", instant(9)));
    await theirs.deliver(messageEvent("SENT", instant(2)));
    await ours.deliver(messageEvent("SENT", instant(2)));

    expect(statuses(theirs.calls)).toEqual(["DELIVERED"]);
    expect(statuses(ours.calls)).toEqual(["SENT"]);
  });
});

describe.each(everyStore(1))("an app that keeps the newest status, on $name", (platform) => {
  test("W14: when DELIVERED arrives before SENT, SENT is not handled", async () => {
    const kept = new Map<unknown, unknown>();
    const { deliver, calls } = await setUpWebhooks(platform, {
      handle: ({ data }) => void kept.set(data.message_id, data.status),
    });
    await deliver(messageEvent("DELIVERED", instant(2), "msg_1"));
    await deliver(messageEvent("SENT", instant(1), "msg_2"));
    const overtaken = await deliver(messageEvent("SENT", instant(1), "msg_1"));

    expect(overtaken.status).toBe(204);
    expect(Object.fromEntries(kept)).toEqual({ msg_1: "DELIVERED", msg_2: "SENT" });
    expect(statuses(calls)).toEqual(["DELIVERED", "SENT"]);
  });

  test("W14: when the handler of DELIVERED fails, SENT is still handled, and then DELIVERED", async () => {
    const kept: unknown[] = [];
    let attempts = 0;
    const { deliver } = await setUpWebhooks(platform, {
      handle({ data }) {
        if (data.status === "DELIVERED" && ++attempts === 1) throw new Error("The app's database is down.");
        kept.push(data.status);
      },
    });
    const failed = await deliver(messageEvent("DELIVERED", instant(2)));
    const older = await deliver(messageEvent("SENT", instant(1)));
    const redelivered = await deliver(messageEvent("DELIVERED", instant(2)));

    expect([failed.status, older.status, redelivered.status]).toEqual([500, 204, 204]);
    expect(kept).toEqual(["SENT", "DELIVERED"]);
  });
});
