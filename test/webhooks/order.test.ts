import { describe, expect, test } from "vitest";
import { openPlatforms } from "../support/platforms.ts";
import {
  instant,
  messageEvent,
  setUpWebhooks,
  statuses,
  typesOf,
  verificationEvent,
} from "../support/webhook-setup.ts";

const everyStore = await openPlatforms();

describe.each(everyStore(0))("the order of events on $name", (platform) => {
  // Every spelling of an instant is read by core's tests.
  test.each([
    { older: "2026-09-21T14:13:05.123456788Z", newer: "2026-09-21T14:13:05.123456789Z" },
    { older: "2026-09-21T16:13:04+02:00", newer: "2026-09-21T14:13:05Z" },
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

  /** The clock of the tests stands at 14:13:20. */
  const ahead = ["2026-09-22T14:13:20.001Z", "2026-09-23T02:00:00+05:00", "9999-12-31T23:59:59Z", "4102444800"];

  test.each(ahead)("W21: %s, more than a day ahead, makes no later event stale", async (tooLate) => {
    const { deliver, calls, events } = await setUpWebhooks(platform);
    const answers: number[] = [];
    for (const payload of [
      messageEvent("QUEUED", instant(4)),
      messageEvent("BUFFERED", tooLate),
      messageEvent("BUFFERED", tooLate),
      messageEvent("SENT", instant(6)),
      messageEvent("QUEUED", instant(5)),
    ]) {
      answers.push((await deliver(payload)).status);
    }

    expect(answers).toEqual(Array(5).fill(204));
    expect(statuses(calls)).toEqual(["QUEUED", "BUFFERED", "SENT"]);
    expect(calls[1]?.occurredAt).toBe(tooLate);
    expect(typesOf(events)).toEqual([
      "webhook.handled",
      "webhook.handled",
      "webhook.duplicate",
      "webhook.handled",
      "webhook.stale",
    ]);
  });

  test("W13, W21: a terminal status more than a day ahead is never downgraded", async () => {
    const { deliver, calls } = await setUpWebhooks(platform);
    await deliver(messageEvent("DELIVERED", "9999-12-31T23:59:59Z"));
    for (const status of ["SENT", "FAILED"]) expect((await deliver(messageEvent(status, instant(6)))).status).toBe(204);

    expect(statuses(calls)).toEqual(["DELIVERED"]);
  });

  test("W21: an instant a day ahead is ordered as every other", async () => {
    const { deliver, calls } = await setUpWebhooks(platform);
    await deliver(messageEvent("SENT", "2026-09-22T14:13:20Z"));
    await deliver(messageEvent("QUEUED", instant(6)));

    expect(statuses(calls)).toEqual(["SENT"]);
  });
});
