import type { WebhookEvent } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { type CallFailure, callFailures, createFailingStore } from "../support/failing-store.ts";
import { inMemory, openPlatforms, type Platform } from "../support/platforms.ts";
import {
  instant,
  messageEvent,
  setUpWebhooks,
  statuses,
  typesOf,
  verificationEvent,
  type WebhookSetup,
} from "../support/webhook-setup.ts";

const everyStore = await openPlatforms();

describe.each(inMemory)("the order of events on $name", (platform) => {
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

  test("W8, W21: an event more than a day ahead is known after newer events, also when it is less ahead", async () => {
    const { deliver, calls, clock } = await setUpWebhooks(platform);
    // A day and 1.5 seconds ahead.
    const ahead = messageEvent("BUFFERED", "2026-09-22T14:13:21.5Z");
    for (const payload of [ahead, messageEvent("ONE", instant(1)), ahead]) await deliver(payload);
    await clock.advance(2000);
    for (const payload of [ahead, messageEvent("TWO", instant(2)), messageEvent("THREE", instant(3)), ahead]) {
      await deliver(payload);
    }

    expect(statuses(calls)).toEqual(["BUFFERED", "ONE", "TWO", "THREE"]);
  });

  test("W21: an instant a day ahead is ordered as every other", async () => {
    const { deliver, calls } = await setUpWebhooks(platform);
    await deliver(messageEvent("SENT", "2026-09-22T14:13:20Z"));
    await deliver(messageEvent("QUEUED", instant(6)));

    expect(statuses(calls)).toEqual(["SENT"]);
  });
});

const older = messageEvent("QUEUED", instant(1));
const newer = messageEvent("SENT", instant(2));
const newest = messageEvent("BUFFERED", instant(3));

interface Loss {
  /** The process whose mark was lost. Its handler has run. */
  readonly interrupted: WebhookSetup;
  /** Another process, after the leases of the first one have run out. */
  readonly next: WebhookSetup;
}

/** Lets a handler run for an event and loses its mark, as a crash or a store that is away does. */
async function loseMark(platform: Platform, payload: unknown, failure: CallFailure): Promise<Loss> {
  const app = platform.deploy();
  const failing = createFailingStore(app);
  // The next call of the store is the mark.
  const handle = () => failing.failAt(0, failure);
  const interrupted = await setUpWebhooks(platform, { app, store: failing.store, handle });
  expect((await interrupted.deliver(payload)).code).toBe("store_unavailable");
  const next = await setUpWebhooks(platform, { app });
  await app.clock.advance(30_000);
  return { interrupted, next };
}

async function deliverAll({ deliver }: WebhookSetup, payloads: readonly unknown[]): Promise<readonly number[]> {
  const answers: number[] = [];
  for (const payload of payloads) answers.push((await deliver(payload)).status);
  return answers;
}

describe.each(everyStore(1))("a handler whose mark was lost, on $name", (platform) => {
  test.each(callFailures)(
    "W22: when its mark $how, no older event is handled, and the event comes again until it is done",
    async (failure) => {
      const { interrupted, next } = await loseMark(platform, newer, failure);
      const answers = await deliverAll(next, [older, newer, older, newer, newest]);

      expect(answers).toEqual(Array(5).fill(204));
      expect(statuses(interrupted.calls)).toEqual(["SENT"]);
      expect(statuses(next.calls)).toEqual(failure.carriedOut ? ["BUFFERED"] : ["SENT", "BUFFERED"]);
      expect(typesOf(next.events).slice(0, 2)).toEqual([
        "webhook.stale",
        failure.carriedOut ? "webhook.duplicate" : "webhook.handled",
      ]);
    },
  );
});

describe.each(everyStore(0))("a handler that has begun, on $name", (platform) => {
  const [lost] = callFailures;
  if (!lost) throw new Error("There is a failure.");

  test("W22: after it failed, no older event is handled, and the event comes again until it is done", async () => {
    let failures = 0;
    const { deliver, calls, events } = await setUpWebhooks(platform, {
      handle({ data }) {
        if (data.status === "SENT" && failures++ < 2) throw new Error("The app's database is down.");
      },
    });
    const answers: number[] = [];
    for (const payload of [newer, older, newer, older, newer, newer]) answers.push((await deliver(payload)).status);

    expect(answers).toEqual([500, 204, 500, 204, 204, 204]);
    expect(statuses(calls)).toEqual(["SENT", "SENT", "SENT"]);
    expect(typesOf(events)).toEqual([
      "webhook.failed",
      "webhook.stale",
      "webhook.failed",
      "webhook.stale",
      "webhook.handled",
      "webhook.duplicate",
    ]);
  });

  test("W22: while it runs in a process that dies, no older event is handled by another one", async () => {
    const app = platform.deploy();
    const failing = createFailingStore(app);
    const begun = Promise.withResolvers<void>();
    const handle = () => {
      failing.failOn();
      begun.resolve();
      return Promise.withResolvers<void>().promise;
    };
    const dying = await setUpWebhooks(platform, { app, store: failing.store, handle });
    void dying.begin(newer);
    await begun.promise;
    const next = await setUpWebhooks(platform, { app });
    await app.clock.advance(30_000);

    expect(await deliverAll(next, [older, newer])).toEqual([204, 204]);
    expect(statuses(next.calls)).toEqual(["SENT"]);
  });

  test("W17, W22: after a lost mark, another event at the same instant is handled, and then the event itself", async () => {
    const [first, second] = [{ channel: "SMS" }, { channel: "VOICE" }].map((facts) =>
      verificationEvent({ ...facts, status: `by ${facts.channel}` }, instant(2)),
    );
    const { next } = await loseMark(platform, first, lost);

    expect(await deliverAll(next, [second, first, second, first])).toEqual([204, 204, 204, 204]);
    expect(statuses(next.calls)).toEqual(["by VOICE", "by SMS"]);
  });

  test.each([
    { what: "at the same instant", second: 5 },
    { what: "later", second: 6 },
  ])("W13, W22: after a lost mark of DELIVERED, no SENT $what is handled, and DELIVERED is", async ({ second }) => {
    const delivered = messageEvent("DELIVERED", instant(5));
    const { next } = await loseMark(platform, delivered, lost);
    const sent = messageEvent("SENT", instant(second));

    expect(await deliverAll(next, [sent, delivered, sent, delivered])).toEqual([204, 204, 204, 204]);
    expect(statuses(next.calls)).toEqual(["DELIVERED"]);
  });

  test("W13, W22: a SENT that was handled at the instant of a DELIVERED whose mark was lost hides no DELIVERED", async () => {
    const app = platform.deploy();
    const failing = createFailingStore(app);
    const handle = ({ data }: WebhookEvent) => void (data.status === "DELIVERED" && failing.failAt(0, lost));
    const interrupted = await setUpWebhooks(platform, { app, store: failing.store, handle });
    const [sent, delivered] = [messageEvent("SENT", instant(5)), messageEvent("DELIVERED", instant(5))];
    await interrupted.deliver(sent);
    await interrupted.deliver(delivered);
    const next = await setUpWebhooks(platform, { app });
    await app.clock.advance(30_000);

    const others = [messageEvent("BUFFERED", instant(5)), messageEvent("BUFFERED", instant(6))];
    const failed = messageEvent("FAILED", instant(6));

    expect(await deliverAll(next, [sent, ...others, delivered, failed])).toEqual(Array(5).fill(204));
    expect(statuses(next.calls)).toEqual(["DELIVERED"]);
  });
});
