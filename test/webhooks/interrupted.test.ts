import type { WebhookEvent } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { callFailures, createFailingStore } from "../support/failing-store.ts";
import { openPlatforms, type Platform } from "../support/platforms.ts";
import { instant, messageEvent, setUpWebhooks, statuses } from "../support/webhook-setup.ts";

const sent = messageEvent("SENT", instant(1));
const delivered = messageEvent("DELIVERED", instant(2));

const everyStore = await openPlatforms();

/** The calls of the store that a delivery makes, in this order. */
const calls = [
  { what: "lease", call: "lease" },
  { what: "note that the handler begins", call: "settle" },
  { what: "mark", call: "settle" },
] as const;

/** Each call with every way in which it can fail; half of them are the death of the process. */
const interruptions = calls.flatMap((call, index) =>
  callFailures.map((failure) => ({ ...call, index, failure, ...failure })),
);

type Interruption = (typeof interruptions)[number];

/** Delivers an event to a process whose store fails at one call, and starts another process after it. */
async function interrupt(platform: Platform, { index, failure }: Interruption) {
  const app = platform.deploy();
  const failing = createFailingStore(app);
  const effects = new Map<string, unknown>();
  const handle = ({ key, data }: WebhookEvent) => void effects.set(key, data.status);
  const interrupted = await setUpWebhooks(platform, { app, store: failing.store, handle });
  failing.failAt(index, failure);
  const answer = await interrupted.deliver(sent);
  const next = await setUpWebhooks(platform, { app, handle });
  return { app, answer, interrupted, next, effects, failed: failing.failed };
}

describe.each(everyStore(0))("a delivery whose store fails, on $name", (platform) => {
  test.each(interruptions)(
    "W9, W11: when its $what $how, the answer is 503, and after a redelivery the effect stands once",
    async (given) => {
      const { app, answer, interrupted, next, effects, failed } = await interrupt(platform, given);
      await app.clock.advance(30_000);
      const redelivered = await next.deliver(sent);
      const afterwards = await next.deliver(delivered);
      const runs = statuses([...interrupted.calls, ...next.calls]);

      expect(failed).toMatch(new RegExp(`^${given.call} `));
      expect([answer.code, answer.headers["retry-after"]]).toEqual(["store_unavailable", "5"]);
      expect([answer.status, redelivered.status, afterwards.status]).toEqual([503, 204, 204]);
      expect([...effects.values()]).toEqual(["SENT", "DELIVERED"]);
      // The handler runs again only when its completion was lost.
      const again = given.what === "mark" && !given.carriedOut;
      expect(runs).toEqual(again ? ["SENT", "SENT", "DELIVERED"] : ["SENT", "DELIVERED"]);
    },
  );

  test.each(interruptions)(
    "W11, W14: when its $what $how and a later event is handled first, the redelivery is not handled",
    async (given) => {
      const { app, next, effects } = await interrupt(platform, given);
      await app.clock.advance(30_000);
      const overtaking = await next.deliver(delivered);
      const redelivered = await next.deliver(sent);

      expect([overtaking.status, redelivered.status]).toEqual([204, 204]);
      expect(statuses(next.calls)).toEqual(["DELIVERED"]);
      expect([...effects.values()].at(-1)).toBe("DELIVERED");
    },
  );

  test("W11: another process takes over from a dead one when its lease has run out, and not before", async () => {
    const death = interruptions.find(({ call, carriedOut, fatal }) => call === "lease" && carriedOut && fatal);
    const { app, next } = await interrupt(platform, death ?? expect.fail("No such interruption."));
    await app.clock.advance(5000);
    const early = await next.begin(sent);
    await app.clock.advance(4000);
    const callsBefore = next.calls.length;
    await app.clock.advance(6000);
    const late = await next.deliver(sent);

    expect([(await early.answer).status, callsBefore]).toEqual([503, 0]);
    expect([late.status, next.calls.length]).toEqual([204, 1]);
  });

  test("every entry that a webhook writes expires", async () => {
    const app = platform.deploy();
    const { deliver } = await setUpWebhooks(platform, { app });
    for (const payload of [sent, { event: "number.rented" }]) await deliver(payload);
    const kept = await app.countEntries();
    await app.passTime(7 * 86_400_000);

    expect([kept, await app.countEntries()]).toEqual([2, 0]);
  });
});
