import { describe, expect, test } from "vitest";
import type { Payload } from "../inbox/deliveries.ts";
import { hosts } from "../support/hosts.ts";
import { typesOf } from "../support/webhook-setup.ts";
import { notTaken, openApp, refusalOf } from "./app.ts";
import { losses } from "./command-wire.ts";
import { keysOf, tellingOf } from "./deliveries.ts";
import { describeOnEach } from "./ground.ts";
import { interruptEach } from "./interruptions.ts";
import { patience, succeeds } from "./patience.ts";

const taken = [204, undefined, null];

describeOnEach("a connection that is cut at any command of a webhook", (ground) => {
  describe.each(hosts)("on $name", (host) => {
    test.each(losses)("W8, W9: its %s lost: the delivery is refused, comes again, and is done once", async (loss) => {
      const wired = await ground().openStore();
      const app = await openApp(host, { store: wired.store });
      const runs: number[] = [];
      const commands = await interruptEach(wired, loss, async (interrupt) => {
        const [queued, sent] = tellingOf(`msg_${runs.length}`);
        const before = app.calls.entries.length;
        const { answer, isCut } = await interrupt(() => app.deliver(sent));
        expect(refusalOf(answer)).toEqual(isCut ? notTaken : taken);
        await wired.endLeases();
        const again = [await app.deliver(sent), await app.deliver(queued), await app.deliver(sent)];
        expect(again.map(refusalOf)).toEqual([taken, taken, taken]);
        expect(typesOf(app.events).slice(-2)).toEqual(["webhook.stale", "webhook.duplicate"]);
        const calls = keysOf(app.calls.entries.slice(before));
        expect(new Set(calls)).toEqual(new Set(keysOf([sent])));
        runs.push(calls.length);
      });
      // Only what could not be marked as done is done again.
      expect([commands, runs]).toEqual([2, loss === "request" ? [1, 2, 1] : [1, 1, 1]]);
      app.expectSilence();
    });
  });
});

describeOnEach("a connection that is cut while an inbox keeps a webhook", (ground) => {
  describe.each(hosts)("on $name", (host) => {
    test.each(losses)("W9: its %s lost: the delivery is refused, comes again, and is handled once", async (loss) => {
      // So seldom that no maintenance of the queue comes in between.
      const engine = await ground().openEngine({ wired: true, postgres: { takeOverSeconds: 300 } });
      const worker = engine.openAnother();
      const app = await openApp(host, { store: engine.store, webhooks: { inbox: engine.inbox } });
      const working = await openApp(host, {
        store: worker.store,
        webhooks: { inbox: worker.inbox },
        handle: worker.effect,
      });
      await working.doorcode.work();
      const delivered: Payload[] = [];
      const askAll = () => Promise.all([engine.effects(), engine.store.get(["probe"]), engine.inbox.deadLetters(1)]);
      const wired = { ...engine, ready: () => succeeds(askAll) };
      const commands = await interruptEach(wired, loss, async (interrupt) => {
        const [queued] = tellingOf(`msg_${delivered.length}`);
        const { answer, isCut } = await interrupt(() => app.deliver(queued));
        expect(refusalOf(answer)).toEqual(isCut ? notTaken : taken);
        expect(refusalOf(await app.deliver(queued))).toEqual(taken);
        delivered.push(queued);
        await expect.poll(worker.effects, patience).toEqual(keysOf(delivered));
      });
      expect(commands).toBeGreaterThanOrEqual(1);
      expect(keysOf(working.calls.entries)).toEqual(keysOf(delivered));
      for (const each of [app, working]) each.expectSilence();
    });
  });
});
