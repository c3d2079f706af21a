import type { WebhookEvent, WebhookHandler } from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import { describe, expect, test } from "vitest";
import { type Barrier, createBarrier } from "../support/barrier.ts";
import { type Deployment, suspended } from "../support/deployment.ts";
import { openPlatforms, type Platform } from "../support/platforms.ts";
import {
  instant,
  messageEvent,
  setUpWebhooks,
  statuses,
  typesOf,
  type WebhookSetup,
} from "../support/webhook-setup.ts";

const queued = messageEvent("QUEUED", instant(1));
const sent = messageEvent("SENT", instant(2));
const delivered = messageEvent("DELIVERED", instant(3));

const everyStore = await openPlatforms();

/** The places where a process stops for a while, at a barrier. */
const pauses: readonly {
  readonly where: string;
  start: (platform: Platform, app: Deployment, halt: Barrier) => Promise<WebhookSetup>;
}[] = [
  {
    where: "in its handler",
    start: (platform, app, halt) => setUpWebhooks(platform, { app, handle: () => halt.pass() }),
  },
  {
    where: "in a handler that then fails",
    start(platform, app, halt) {
      const handle = () => halt.pass().then(() => Promise.reject(new Error("Too late.")));
      return setUpWebhooks(platform, { app, handle });
    },
  },
  {
    where: "between its handler and the completion",
    start: (platform, app, halt) => setUpWebhooks(platform, { app, store: haltingAtMark(app.connect(), halt) }),
  },
];

/** Halts before the mark, or before the note that a handler begins, which keeps the lease. */
function haltingAtMark(store: Store, halt: Barrier, atNote = false): Store {
  return {
    ...store,
    async settle(...given) {
      if ((given[3].hold === true) === atNote) await halt.pass();
      return store.settle(...given);
    },
  };
}

describe.each(everyStore(0))("a process that pauses before its handler, on $name", (platform) => {
  test("W12, W22: does not call it for an event that another process has taken over", async () => {
    const app = platform.deploy();
    const halt = createBarrier();
    const slowApp = suspended(app);
    const slow = await setUpWebhooks(platform, { app: slowApp, store: haltingAtMark(slowApp.connect(), halt, true) });
    const next = await setUpWebhooks(platform, { app });
    const answer = slow.deliver(queued);
    await halt.arrived(1);
    await app.clock.advance(15_000);
    const takenOver = await next.deliver(sent);
    halt.open();

    expect([takenOver.status, (await answer).status]).toEqual([204, 503]);
    expect([statuses(slow.calls), statuses(next.calls)]).toEqual([[], ["SENT"]]);
  });
});

describe.each(everyStore(0).flatMap((platform) => pauses.map((pause) => ({ platform, ...pause }))))(
  "a process that pauses $where, on $platform.name",
  ({ platform, start }) => {
    test("W12: cannot complete an event that another process has taken over and completed", async () => {
      const app = platform.deploy();
      const halt = createBarrier();
      // A paused process does not renew its lease.
      const slow = await start(platform, suspended(app), halt);
      const next = await setUpWebhooks(platform, { app });
      const answer = slow.deliver(queued);
      await halt.arrived(1);
      await app.clock.advance(15_000);
      const takenOver = await next.deliver(sent);
      halt.open();
      const late = await answer;
      const again = [await next.deliver(sent), await next.deliver(queued)];

      expect(takenOver.status).toBe(204);
      expect(late.status).toBeGreaterThanOrEqual(500);
      expect(again.map(({ status }) => status)).toEqual([204, 204]);
      expect(typesOf(next.events)).toEqual(["webhook.handled", "webhook.duplicate", "webhook.stale"]);
      expect(statuses(next.calls)).toEqual(["SENT"]);
    });

    test("W12: cannot release the lease of another process", async () => {
      const app = platform.deploy();
      const halt = createBarrier();
      const working = createBarrier();
      // A paused process does not renew its lease.
      const slow = await start(platform, suspended(app), halt);
      const next = await setUpWebhooks(platform, { app, handle: () => working.pass() });
      const third = await setUpWebhooks(platform, { app });
      const answer = slow.deliver(queued);
      await halt.arrived(1);
      await app.clock.advance(15_000);
      const claimed = next.deliver(sent);
      await working.arrived(1);
      halt.open();
      const late = await answer;
      const waiting = await third.begin(delivered);
      await app.clock.advance(3800);
      const callsMeanwhile = third.calls.length;
      working.open();
      await app.clock.advance(200);

      expect(late.status).toBeGreaterThanOrEqual(500);
      expect(callsMeanwhile).toBe(0);
      expect((await claimed).status).toBe(204);
      expect((await waiting.answer).status).toBe(503);
      expect((await third.deliver(delivered)).status).toBe(204);
    });
  },
);

describe.each(everyStore(1))("a handler that never settles, on $name", (platform) => {
  test.each(["the same process", "another process"])(
    "W16: loses its lease at its limit, its signal aborts, and later events are handled by %s",
    async (where) => {
      const app = platform.deploy();
      const hanging = createBarrier();
      const signals: AbortSignal[] = [];
      const handled: unknown[] = [];
      const handle: WebhookHandler<WebhookEvent> = ({ data }, { signal }) => {
        handled.push(data.status);
        signals.push(signal);
        return data.status === "SENT" ? hanging.pass() : undefined;
      };
      const options = { app, handlerSeconds: 10, handle };
      const first = await setUpWebhooks(platform, options);
      const other = where === "the same process" ? first : await setUpWebhooks(platform, options);
      const answer = first.deliver(sent);
      await hanging.arrived(1);
      await app.clock.advance(9999);
      const abortedEarly = signals[0]?.aborted;
      await app.clock.advance(1);
      const reason = signals[0]?.reason;
      const renewals = app.clock.pending;
      await app.clock.advance(15_000);
      const later = await other.deliver(delivered);
      hanging.open();
      await app.clock.advance(0);
      const again = await other.deliver(sent);

      expect((await answer).status).toBe(503);
      expect(abortedEarly).toBe(false);
      expect(reason).toMatchObject({ name: "TimeoutError" });
      expect(renewals).toBe(0);
      expect([later.status, again.status]).toEqual([204, 204]);
      expect(typesOf(first.events)).toContain("webhook.superseded");
      expect(typesOf(other.events).at(-1)).toBe("webhook.stale");
      expect(handled).toEqual(["SENT", "DELIVERED"]);
    },
  );

  test("W16: does not delay events of other entities", async () => {
    const hanging = createBarrier();
    const { deliver, calls } = await setUpWebhooks(platform, {
      handle: ({ data }) => (data.message_id === "msg_1" ? hanging.pass() : undefined),
    });
    void deliver(messageEvent("SENT", instant(1), "msg_1")).catch(() => undefined);
    await hanging.arrived(1);
    const other = await deliver(messageEvent("SENT", instant(1), "msg_2"));

    expect(other.status).toBe(204);
    expect(calls).toHaveLength(2);
  });
});
