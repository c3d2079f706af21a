import { expect, test } from "vitest";
import type { Payload } from "../inbox/deliveries.ts";
import { losses } from "../support/command-proxy.ts";
import { hosts } from "../support/hosts.ts";
import { pairwise } from "../support/pairwise.ts";
import { untilAnswered } from "../support/poll.ts";
import { typesOf } from "../support/webhook-setup.ts";
import { notAccepted, openApp, refusalOf } from "./app.ts";
import { interruptEach } from "./interrupt-each.ts";
import { courseOf, keysOf } from "./message-course.ts";
import { describeOnEach, serverNames } from "./stoppable-server.ts";

const accepted = [204, undefined, null];
const cases = pairwise({ on: serverNames, host: hosts, loss: losses });

describeOnEach("a webhook whose connection to the store is cut at any command", (server, name) => {
  test.each(cases.filter(({ on }) => on === name))(
    "W8, W9: on $host.name, the $loss lost: is refused, comes again, and is handled once",
    async ({ host, loss }) => {
      const interruptible = await server().openStore();
      const app = await openApp(host, { store: interruptible.store });
      const runs: number[] = [];
      const commands = await interruptEach(interruptible, loss, async (interrupt) => {
        const [queued, sent] = courseOf(`msg_${runs.length}`);
        const before = app.calls.entries.length;
        const { answer, isCut } = await interrupt(() => app.deliver(sent));
        expect(refusalOf(answer)).toEqual(isCut ? notAccepted : accepted);
        await interruptible.endLeases();
        const again = [await app.deliver(sent), await app.deliver(queued), await app.deliver(sent)];
        expect(again.map(refusalOf)).toEqual([accepted, accepted, accepted]);
        expect(typesOf(app.events).slice(-2)).toEqual(["webhook.stale", "webhook.duplicate"]);
        const calls = keysOf(app.calls.entries.slice(before));
        expect(new Set(calls)).toEqual(new Set(keysOf([sent])));
        runs.push(calls.length);
      });
      // Only an event that could not be marked as handled is handled again.
      expect([commands, runs]).toEqual([3, loss === "request" ? [1, 1, 2, 1] : [1, 1, 1, 1]]);
      app.expectNoSecrets();
    },
  );
});

describeOnEach("a webhook whose connection to the inbox is cut at any command", (server, name) => {
  test.each(cases.filter(({ on }) => on === name))(
    "W9: on $host.name, the $loss lost: is refused, comes again, and is handled once",
    async ({ host, loss }) => {
      const engine = await server().openEngine({ proxied: true });
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
      const interruptible = { ...engine, ready: () => untilAnswered(askAll) };
      const commands = await interruptEach(interruptible, loss, async (interrupt) => {
        const [queued] = courseOf(`msg_${delivered.length}`);
        const { answer, isCut } = await interrupt(() => app.deliver(queued));
        expect(refusalOf(answer)).toEqual(isCut ? notAccepted : accepted);
        expect(refusalOf(await app.deliver(queued))).toEqual(accepted);
        delivered.push(queued);
        await expect.poll(worker.effects).toEqual(keysOf(delivered));
      });
      expect(commands).toBeGreaterThanOrEqual(1);
      expect(keysOf(working.calls.entries)).toEqual(keysOf(delivered));
      for (const each of [app, working]) each.expectNoSecrets();
    },
  );
});
