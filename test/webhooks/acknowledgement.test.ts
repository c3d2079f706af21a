import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { inMemory, openPlatforms, type Platform } from "../support/platforms.ts";
import { beginPost } from "../support/raw-post.ts";
import { instant, messageEvent, secondsOf, setUpWebhooks, signed, typesOf } from "../support/webhook-setup.ts";

const everyStore = await openPlatforms();

const payload = messageEvent("SENT");

describe.each(inMemory)("a handler that fails, on $name", (platform) => {
  test.each<{ how: string; fail: () => unknown }>([
    {
      how: "rejects",
      fail: () => Promise.reject(new Error("The app's database is down at db.internal.")),
    },
    {
      how: "throws",
      fail: () => {
        throw new Error("The app's database is down at db.internal.");
      },
    },
    { how: "rejects with nothing", fail: () => Promise.reject() },
  ])("W9: when it $how, the answer is 500 and redeliveries run it again until it succeeds", async ({ fail }) => {
    let runs = 0;
    const { deliver, calls } = await setUpWebhooks(platform, { handle: () => (++runs <= 2 ? fail() : undefined) });
    const answers = [];
    for (let attempt = 0; attempt < 4; attempt++) answers.push(await deliver(payload));

    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      [500, "handler_failed"],
      [500, "handler_failed"],
      [204, undefined],
      [204, undefined],
    ]);
    expect(answers[0]?.text).not.toContain("db.internal");
    expect(calls).toHaveLength(3);
  });
});

describe.each(everyStore(1))("a handler past the deadline, on $name", (platform) => {
  test("W10: the answer is 503 after 4 seconds, and the handler goes on", async () => {
    const working = createBarrier();
    const { deliver, clock, events } = await setUpWebhooks(platform, { handle: () => working.pass() });
    const answer = deliver(payload);
    await working.arrived(1);
    await clock.advance(3999);
    const answeredEarly = typesOf(events);
    await clock.advance(1);
    const late = await answer;
    working.open();
    await clock.advance(0);

    expect(answeredEarly).toEqual([]);
    expect([late.status, late.code]).toEqual([503, "handler_unfinished"]);
    expect(typesOf(events)).toEqual(["webhook.unfinished", "webhook.handled"]);
  });

  test.each(["the same process", "another process"])(
    "W10: a redelivery to %s does not run it a second time, and gets 2xx when it is done",
    async (where) => {
      const app = platform.deploy();
      const working = createBarrier();
      let runs = 0;
      const handle = () => {
        runs++;
        return working.pass();
      };
      const first = await setUpWebhooks(platform, { app, handle });
      const other = where === "the same process" ? first : await setUpWebhooks(platform, { app, handle });
      const answer = first.deliver(payload);
      await working.arrived(1);
      await app.clock.advance(4000);
      const late = await answer;
      await app.clock.advance(30_000);
      const meanwhile = await other.begin(payload);
      await app.clock.advance(4000);
      const stillLate = await meanwhile.answer;
      const waiting = await other.begin(payload);
      working.open();
      await app.clock.advance(200);
      const waited = await waiting.answer;
      const afterwards = await other.deliver(payload);

      expect([late.status, stillLate.status, waited.status, afterwards.status]).toEqual([503, 503, 204, 204]);
      expect(runs).toBe(1);
    },
  );

  test("W10: the 4 seconds include the time to receive the body", async () => {
    const working = createBarrier();
    const { url, server, clock } = await setUpWebhooks(platform, { handle: () => working.pass() });
    const body = JSON.stringify(payload);
    const arrived = once(server, "request");
    const post = beginPost(url, signed(body, secondsOf(clock)));
    const answer = post.answer();
    post.write(body.slice(0, 20));
    await arrived;
    await clock.advance(3000);
    post.end(body.slice(20));
    await working.arrived(1);
    await clock.advance(1000);

    expect((await answer).code).toBe("handler_unfinished");
    working.open();
  });

  test("W10: an event that waits for another one until the 503 does not run its handler later", async () => {
    const working = createBarrier();
    const { deliver, begin, clock, calls } = await setUpWebhooks(platform, { handle: () => working.pass() });
    const first = deliver(messageEvent("SENT", instant(1)));
    await working.arrived(1);
    const second = await begin(messageEvent("DELIVERED", instant(2)));
    await clock.advance(4000);
    const answers = await Promise.all([first, second.answer]);
    working.open();
    await clock.advance(1000);
    const callsAfterwards = calls.length;
    const redelivered = await deliver(messageEvent("DELIVERED", instant(2)));

    expect(answers.map((answer) => answer.status)).toEqual([503, 503]);
    expect(callsAfterwards).toBe(1);
    expect(redelivered.status).toBe(204);
    expect(calls).toHaveLength(2);
  });

  test("W10: a handler that fails after the 503 runs again on redelivery", async () => {
    const working = createBarrier();
    let runs = 0;
    const { deliver, clock, calls, events } = await setUpWebhooks(platform, {
      handle: async () => {
        await working.pass();
        if (++runs === 1) throw new Error("The app's database is down.");
      },
    });
    const answer = deliver(payload);
    await working.arrived(1);
    await clock.advance(4000);
    const late = await answer;
    working.open();
    await clock.advance(0);
    const redelivered = await deliver(payload);

    expect([late.status, redelivered.status]).toEqual([503, 204]);
    expect(calls).toHaveLength(2);
    expect(typesOf(events)).toEqual(["webhook.unfinished", "webhook.failed", "webhook.handled"]);
  });
});

/** Begins a delivery whose handler waits at a barrier, in a process whose store fails after it was closed. */
async function beginInClosableProcess(platform: Platform) {
  const app = platform.deploy();
  const failing = createFailingStore(app);
  const store = { ...failing.store, close: async () => failing.failOn() };
  const working = createBarrier();
  const process = await setUpWebhooks(platform, { app, store, handle: () => working.pass() });
  const answer = process.deliver(payload);
  await working.arrived(1);
  return { app, working, process, answer };
}

describe.each(everyStore(1))("doorcode.close() while a handler runs, on $name", (platform) => {
  test.each([0, 4000])(
    "W10: waits for the handler, so that no redelivery runs it again (%i ms later)",
    async (later) => {
      const { app, working, process, answer } = await beginInClosableProcess(platform);
      await app.clock.advance(later);
      const closing = process.doorcode.close();
      const meanwhile = [];
      // After five that could not be finished, the kit would warn of slow handlers.
      for (let delivery = 0; delivery < 5; delivery++) {
        const { status, code } = await process.deliver(messageEvent("SENT", instant(1), "msg_2"));
        meanwhile.push(`${status} ${code}`);
      }
      working.open();
      await closing;
      const next = await setUpWebhooks(platform, { app });
      const again = await next.begin(payload);
      await app.clock.advance(4000);

      expect((await answer).status).toBe(later === 0 ? 204 : 503);
      expect(meanwhile).toEqual(Array(5).fill("503 handler_unfinished"));
      expect(typesOf(process.events)).not.toContain("webhook.failing");
      expect((await again.answer).status).toBe(204);
      expect([process.calls.length, typesOf(next.events)]).toEqual([1, ["webhook.duplicate"]]);
    },
  );

  test("W16: ends after 30 seconds if the handler never settles", async () => {
    const { app, working, process, answer } = await beginInClosableProcess(platform);
    let isClosed = false;
    const closing = process.doorcode.close().then(() => {
      isClosed = true;
    });
    await app.clock.advance(29_999);
    const closedEarly = isClosed;
    await app.clock.advance(1);
    await closing;
    working.open();

    expect([closedEarly, (await answer).status]).toEqual([false, 503]);
  });
});
