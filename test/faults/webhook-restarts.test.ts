import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { hosts } from "../support/hosts.ts";
import { typesOf } from "../support/webhook-setup.ts";
import { notTaken, openApp, refusalOf } from "./app.ts";
import { keysOf, tellingOf } from "./deliveries.ts";
import { describeOnEach, ends } from "./ground.ts";
import { deliverThrough } from "./webhook-course.ts";

const [, sent, delivered] = tellingOf("msg_1");

describeOnEach("a store that is restarted in the middle of webhooks", (ground) => {
  describe.each(hosts)("handled before they are answered on $name", (host) => {
    test.each(ends)("W8, W9: by %s: refuses deliveries meanwhile, and handles them once and in order", async (end) => {
      const { store, ready } = await ground().openStore({ direct: true });
      await deliverThrough(await openApp(host, { store }), {
        begin: ground()[end],
        async end() {
          await ground().start();
          await ready();
        },
      });
    });

    test.each(ends)("W11: by %s: an event whose handler was at work comes again and completes", async (end) => {
      const { store, ready, endLeases } = await ground().openStore({ direct: true });
      const working = createBarrier();
      const app = await openApp(host, { store, handle: () => working.pass() });
      const answer = app.deliver(sent);
      await working.arrived(1);
      await ground()[end]();
      working.open();
      const lost = await answer;
      await ground().start();
      await ready();
      await endLeases();
      const again = [await app.deliver(sent), await app.deliver(sent)];

      expect(refusalOf(lost)).toEqual(notTaken);
      expect(again.map(({ status }) => status)).toEqual([204, 204]);
      expect(keysOf(app.calls.entries)).toEqual([...keysOf([sent]), ...keysOf([sent])]);
      expect(typesOf(app.events).slice(-2)).toEqual(["webhook.handled", "webhook.duplicate"]);
      app.expectSilence();
    });

    test.each(ends)("by %s: a handler that outlasts the outage is done, and runs once", async (end) => {
      const { store, ready } = await ground().openStore({ direct: true });
      const working = createBarrier();
      const app = await openApp(host, { store, handle: () => working.pass() });
      const answer = app.deliver(sent);
      await working.arrived(1);
      await ground()[end]();
      await ground().start();
      await ready();
      working.open();

      expect((await answer).status).toBe(204);
      expect((await app.deliver(sent)).status).toBe(204);
      expect(app.calls.entries).toHaveLength(1);
    });

    test.each(ends)("W12: by %s: a handler that was taken over since can complete nothing", async (end) => {
      const { store, ready, endLeases } = await ground().openStore({ direct: true });
      const working = createBarrier();
      const options = { name: "cluster" };
      const slow = await openApp(host, { store, options, handle: () => working.pass() });
      const next = await openApp(host, { store, options });
      const answer = slow.deliver(sent);
      await working.arrived(1);
      await ground()[end]();
      await ground().start();
      await ready();
      await endLeases();
      const takenOver = await next.deliver(delivered);
      working.open();
      const late = await answer;
      const again = [await next.deliver(delivered), await slow.deliver(sent)];

      expect([takenOver.status, late.status, late.json.code]).toEqual([204, 503, "handler_unfinished"]);
      expect(again.map(({ status }) => status)).toEqual([204, 204]);
      expect(typesOf(slow.events)).toEqual(["webhook.superseded", "webhook.stale"]);
      expect(typesOf(next.events)).toEqual(["webhook.handled", "webhook.duplicate"]);
    });
  });
});
