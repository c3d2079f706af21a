import { expect, test } from "vitest";
import type { Payload } from "../inbox/deliveries.ts";
import type { InboxSetup } from "../inbox/inbox-setup.ts";
import { createBarrier } from "../support/barrier.ts";
import { hosts } from "../support/hosts.ts";
import { pairwise } from "../support/pairwise.ts";
import { statuses } from "../support/webhook-setup.ts";
import { notAccepted, openApp, refusalOf } from "./app.ts";
import { courseOf, keysOf } from "./message-course.ts";
import { describeOnEachStore, ends, storeNames } from "./stoppable-server.ts";

const [queued, sent, delivered] = courseOf("msg_1");
const host = hosts[0] ?? expect.fail("There is no host.");
const cases = pairwise({ on: storeNames, framework: hosts, end: ends });

describeOnEachStore("webhooks whose store is restarted", (server, name) => {
  test.each(cases.filter(({ on }) => on === name))(
    "W8, W9: on $framework.name, by $end: are refused while the store is down, and handled once and in order",
    async ({ framework, end }) => {
      const { store, ready } = await server().openStore({ direct: true });
      const app = await openApp(framework, { store });
      const before = await app.deliver(queued);
      await server()[end]();
      const meanwhile = [await app.deliver(sent), await app.deliver(queued), await app.deliver(delivered)];
      await server().start();
      await ready();
      const after = [];
      for (const payload of [sent, queued, delivered, sent, delivered]) after.push(await app.deliver(payload));

      expect(before.status).toBe(204);
      expect(meanwhile.map(refusalOf)).toEqual([notAccepted, notAccepted, notAccepted]);
      expect(after.map(({ status }) => status)).toEqual(Array(5).fill(204));
      expect(statuses(app.calls.entries)).toEqual(["QUEUED", "SENT", "DELIVERED"]);
      app.expectNoSecrets();
    },
  );

  test.each(cases.filter(({ on }) => on === name))(
    "W9: on $framework.name, with an inbox, by $end: are refused while the server is down, and handled once and in order",
    async ({ framework, end }) => {
      const engine = await server().openEngine();
      const app = await openApp(framework, {
        store: engine.store,
        webhooks: { inbox: engine.inbox },
        handle: engine.effect,
      });
      await app.doorcode.work();
      const before = await app.deliver(queued);
      await expect.poll(engine.effects).toEqual(keysOf([queued]));
      await server()[end]();
      const meanwhile = [await app.deliver(sent), await app.deliver(queued)];
      await server().start();
      await expect.poll(async () => (await app.deliver(sent)).status).toBe(204);
      // A worker that finds the store not yet connected rests, and a newer event would overtake this one.
      await expect.poll(engine.effects).toEqual(keysOf([queued, sent]));
      const after = [await app.deliver(queued), await app.deliver(delivered)];
      await expect.poll(engine.effects).toEqual(keysOf([queued, sent, delivered]));

      expect(before.status).toBe(204);
      expect(meanwhile.map(refusalOf)).toEqual([notAccepted, notAccepted]);
      expect(after.map(({ status }) => status)).toEqual([204, 204]);
      expect(keysOf(app.calls.entries)).toEqual(keysOf([queued, sent, delivered]));
      app.expectNoSecrets();
    },
  );

  test("W11: with an inbox, an event whose handler was running comes again, and has its effect once", async () => {
    const engine = await server().openEngine();
    const working = createBarrier();
    const app = await openApp(host, {
      store: engine.store,
      webhooks: { inbox: engine.inbox },
      async handle(event, context) {
        await working.pass();
        await engine.effect(event, context);
      },
    });
    await app.doorcode.work();
    await app.deliver(sent);
    await working.arrived(1);
    await server().kill();
    working.open();
    await app.published("store.failed");
    await server().start();
    await handledAll(engine, [sent]);
    await app.deliver(delivered);
    await handledAll(engine, [sent, delivered]);

    expect(await engine.effects()).toEqual(keysOf([sent, delivered]));
    app.expectNoSecrets();
  });
});

/** Resolves when events have their effects. Until then everything that dead workers held is ended, again and again. */
async function handledAll(engine: InboxSetup, payloads: readonly Payload[]): Promise<void> {
  const missing = async () => {
    const effects = await engine.effects().catch((): readonly string[] => []);
    const keys = keysOf(payloads).filter((key) => !effects.includes(key));
    if (keys.length > 0) await engine.endHolds().catch(() => undefined);
    return keys;
  };
  await expect.poll(missing, { interval: 50 }).toEqual([]);
}
