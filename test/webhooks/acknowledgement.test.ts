import { once } from "node:events";
import type { Store } from "@doorcode/core/store";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { places } from "../support/places.ts";
import { instant, messageEvent, secondsOf, setUpWebhooks, signed, typesOf } from "./webhook-bench.ts";
import { answerTo, beginPost } from "./wire.ts";

const payload = messageEvent("SENT");

describe.each(places)("a handler that fails, on $name", (place) => {
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
  ])("W9: that $how is answered 500 and runs again on redelivery, until it is done", async ({ fail }) => {
    let runs = 0;
    const { deliver, calls } = await setUpWebhooks(place, { handle: () => (++runs <= 2 ? fail() : undefined) });
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

  test("W9: success is answered only after the handler is done", async () => {
    const order: string[] = [];
    const working = createBarrier();
    const { deliver } = await setUpWebhooks(place, {
      handle: async () => {
        await working.pass();
        order.push("done");
      },
    });
    const answer = deliver(payload).then(({ status }) => order.push(`answered ${status}`));
    await working.arrived(1);
    order.push("released");
    working.open();
    await answer;

    expect(order).toEqual(["released", "done", "answered 204"]);
  });

  test.each(["lease", "settle"] as const)(
    "W9: a store that fails to %s is no success, and runs again",
    async (verb) => {
      const app = place.deploy();
      const up = app.connect();
      let isDown = true;
      const down: Store = { ...up, [verb]: () => Promise.reject(new Error("The store is down.")) };
      const store = switching(() => (isDown ? down : up));
      const { deliver, calls, clock } = await setUpWebhooks(place, { app, store });
      const failed = await deliver(payload);
      const callsBefore = calls.length;
      isDown = false;
      await clock.advance(30_000);
      const redelivered = await deliver(payload);

      expect([failed.status, failed.code]).toEqual([503, "store_unavailable"]);
      expect(failed.headers["retry-after"]).toBe("5");
      expect(redelivered.status).toBe(204);
      expect(calls.length - callsBefore).toBe(1);
    },
  );
});

/** Asks anew at every call. */
function switching(current: () => Store): Store {
  return {
    get: (...given) => current().get(...given),
    put: (...given) => current().put(...given),
    increment: (...given) => current().increment(...given),
    lease: (...given) => current().lease(...given),
    settle: (...given) => current().settle(...given),
  };
}

describe.each(places)("a handler past the deadline, on $name", (place) => {
  test("W10: is answered for with 503 at 4 s, not before, and goes on", async () => {
    const working = createBarrier();
    const { deliver, clock, events } = await setUpWebhooks(place, { handle: () => working.pass() });
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
    "W10: a redelivery to %s does not run it twice at once, and is 2xx once it is done",
    async (where) => {
      const app = place.deploy();
      const working = createBarrier();
      let runs = 0;
      const handle = () => {
        runs++;
        return working.pass();
      };
      const first = await setUpWebhooks(place, { app, handle });
      const other = where === "the same process" ? first : await setUpWebhooks(place, { app, handle });
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

  test("W10: the four seconds include the time that the body took", async () => {
    const working = createBarrier();
    const { url, server, clock } = await setUpWebhooks(place, { handle: () => working.pass() });
    const body = JSON.stringify(payload);
    const arrived = once(server, "request");
    const post = beginPost(url, signed(body, secondsOf(clock)));
    const answer = answerTo(post);
    post.write(body.slice(0, 20));
    await arrived;
    await clock.advance(3000);
    post.end(body.slice(20));
    await working.arrived(1);
    await clock.advance(1000);

    expect((await answer).code).toBe("handler_unfinished");
    working.open();
  });

  test("W10: an event that is still waiting at 4 s does not run its handler after the 503", async () => {
    const working = createBarrier();
    const { deliver, begin, clock, calls } = await setUpWebhooks(place, { handle: () => working.pass() });
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

  test("W10: one that fails after its 503 runs again on redelivery", async () => {
    const working = createBarrier();
    let runs = 0;
    const { deliver, clock, calls, events } = await setUpWebhooks(place, {
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
