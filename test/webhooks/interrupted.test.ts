import type { WebhookEvent } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { createFragileStore, failures } from "../support/fragile-store.ts";
import { type Place, places } from "../support/places.ts";
import { instant, messageEvent, setUpWebhooks, statuses } from "./webhook-bench.ts";

const sent = messageEvent("SENT", instant(1));
const delivered = messageEvent("DELIVERED", instant(2));

/** What a delivery asks of the store, in this order. */
const calls = ["lease", "settle"] as const;

/** Half of them are deaths, as by `kill -9` before or after a call: nothing that the process began is ended. */
const interruptions = calls.flatMap((call, index) => failures.map((failure) => ({ call, index, failure, ...failure })));

type Interruption = (typeof interruptions)[number];

/** A process whose call goes wrong while it handles an event, and one that is started in its place. */
async function interrupt(place: Place, { index, failure }: Interruption) {
  const app = place.deploy();
  const fragile = createFragileStore(app);
  const effects = new Map<string, unknown>();
  const handle = ({ key, data }: WebhookEvent) => void effects.set(key, data.status);
  const interrupted = await setUpWebhooks(place, { app, store: fragile.store, handle });
  fragile.failAt(index, failure);
  const answer = await interrupted.deliver(sent);
  const next = await setUpWebhooks(place, { app, handle });
  return { app, answer, interrupted, next, effects, failed: fragile.failed };
}

describe.each(places)("a delivery that the store interrupts, on $name", (place) => {
  test.each(interruptions)("W11: its $call $how: a redelivery is handled, its effect stands once", async (given) => {
    const { app, answer, interrupted, next, effects, failed } = await interrupt(place, given);
    await app.clock.advance(30_000);
    const redelivered = await next.deliver(sent);
    const afterwards = await next.deliver(delivered);
    const runs = statuses([...interrupted.calls, ...next.calls]);

    expect(failed).toContain(given.call);
    expect([answer.status, redelivered.status, afterwards.status]).toEqual([503, 204, 204]);
    expect([...effects.values()]).toEqual(["SENT", "DELIVERED"]);
    // It runs again where its completion was lost, and only there.
    const again = given.call === "settle" && !given.arrives;
    expect(runs).toEqual(again ? ["SENT", "SENT", "DELIVERED"] : ["SENT", "DELIVERED"]);
  });

  test.each(interruptions)("W11, W14: its $call $how: what overtook it stands, it is not run again", async (given) => {
    const { app, next, effects } = await interrupt(place, given);
    await app.clock.advance(30_000);
    const overtaking = await next.deliver(delivered);
    const redelivered = await next.deliver(sent);

    expect([overtaking.status, redelivered.status]).toEqual([204, 204]);
    expect(statuses(next.calls)).toEqual(["DELIVERED"]);
    expect([...effects.values()].at(-1)).toBe("DELIVERED");
  });

  test("W11: what a dead process holds is taken over when its lease has run out, not before", async () => {
    const death = interruptions.find(({ call, arrives, fatal }) => call === "lease" && arrives && fatal);
    const { app, next } = await interrupt(place, death ?? expect.fail("Nobody dies."));
    await app.clock.advance(5000);
    const early = await next.begin(sent);
    await app.clock.advance(4000);
    const callsBefore = next.calls.length;
    await app.clock.advance(6000);
    const late = await next.deliver(sent);

    expect([(await early.answer).status, callsBefore]).toEqual([503, 0]);
    expect([late.status, next.calls.length]).toEqual([204, 1]);
  });

  test("nothing that a webhook leaves is kept for ever", async () => {
    const app = place.deploy();
    const { deliver } = await setUpWebhooks(place, { app });
    for (const payload of [sent, { event: "number.rented" }]) await deliver(payload);
    const kept = await app.countEntries();
    await app.passTime(7 * 86_400_000);

    expect([kept, await app.countEntries()]).toEqual([2, 0]);
  });
});
