import { expect, test } from "vitest";
import type { Payload } from "../inbox/deliveries.ts";
import type { Engine } from "../inbox/open-engine.ts";
import { createBarrier } from "../support/barrier.ts";
import { hosts } from "../support/hosts.ts";
import { type App, type AppOptions, notTaken, openApp, refusalOf } from "./app.ts";
import { keysOf, tellingOf } from "./deliveries.ts";
import { describeOnEach, ends, type OwnEngine } from "./ground.ts";
import { patience } from "./patience.ts";

const [queued, sent, delivered] = tellingOf("msg_1");
const host = hosts[0] ?? expect.fail("There is no host.");

describeOnEach("a server of store and inbox that is restarted", (ground) => {
  test.each(hosts.flatMap((on) => ends.map((end) => ({ host: on, on: on.name, end }))))(
    "W9: on $on, by $end: refuses deliveries meanwhile, and its worker goes on, once each and in order",
    async ({ host: on, end }) => {
      const engine = await ground().openEngine();
      const app = await openApp(on, { store: engine.store, webhooks: { inbox: engine.inbox }, handle: engine.effect });
      await app.doorcode.work();
      const before = await app.deliver(queued);
      await expect.poll(engine.effects, patience).toEqual(keysOf([queued]));
      await ground()[end]();
      const meanwhile = [await app.deliver(sent), await app.deliver(queued)];
      await ground().start();
      await expect.poll(async () => (await app.deliver(sent)).status, patience).toBe(204);
      const after = [await app.deliver(queued), await app.deliver(delivered)];
      await expect.poll(engine.effects, patience).toEqual(keysOf([queued, sent, delivered]));

      expect(before.status).toBe(204);
      expect(meanwhile.map(refusalOf)).toEqual([notTaken, notTaken]);
      expect(after.map(({ status }) => status)).toEqual([204, 204]);
      expect(keysOf(app.calls.entries)).toEqual(keysOf([queued, sent, delivered]));
      app.expectSilence();
    },
  );

  test("W11: an event whose handler was at work comes again, and its effect stands once", async () => {
    const engine = await ground().openEngine();
    const working = createBarrier();
    const app = await openWorking(engine, async (event, context) => {
      await working.pass();
      await engine.effect(event, context);
    });
    await app.deliver(sent);
    await working.arrived(1);
    await ground().kill();
    working.open();
    await app.published("store.failed");
    await ground().start();
    await handledAll(engine, [sent]);
    await app.deliver(delivered);
    await handledAll(engine, [sent, delivered]);

    expect(await engine.effects()).toEqual(keysOf([sent, delivered]));
    app.expectSilence();
  });

  test("W12: a handler that another worker overtook can complete nothing", async () => {
    const engine = await ground().openEngine();
    const other = engine.openAnother();
    const working = createBarrier();
    const slow = await openWorking(engine, () => working.pass(), 1);
    await slow.deliver(sent);
    await working.arrived(1);
    await ground().kill();
    await ground().start();
    const next = await openWorking(other, other.effect);
    await handledAll(engine, [sent]);
    await next.deliver(delivered);
    await handledAll(engine, [sent, delivered]);
    working.open();
    await slow.published("webhook.superseded");

    expect(await engine.effects()).toEqual(keysOf([sent, delivered]));
    expect(slow.events.map(({ type }) => type)).not.toContain("webhook.handled");
    for (const app of [slow, next]) app.expectSilence();
  });
});

/** An app that also works. */
async function openWorking(engine: Engine, handle: AppOptions["handle"] & {}, concurrency = 10): Promise<App> {
  const { store, inbox, transactions } = engine;
  const app = await openApp(host, {
    store,
    webhooks: { inbox, ...(transactions && { transactions }) },
    handle,
    options: { name: "cluster" },
  });
  await app.doorcode.work({ concurrency });
  return app;
}

/** Resolves when the effects of events stand; meanwhile what dead workers held runs out again and again. */
async function handledAll(engine: OwnEngine, payloads: readonly Payload[]): Promise<void> {
  const missing = async () => {
    const effects = await engine.effects().catch((): readonly string[] => []);
    const keys = keysOf(payloads).filter((key) => !effects.includes(key));
    if (keys.length > 0) await engine.passTime().catch(() => undefined);
    return keys;
  };
  await expect.poll(missing, { ...patience, interval: 100 }).toEqual([]);
}
