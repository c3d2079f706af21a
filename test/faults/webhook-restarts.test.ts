import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { hosts } from "../support/hosts.ts";
import { pairwise } from "../support/pairwise.ts";
import { statuses, typesOf } from "../support/webhook-setup.ts";
import { notAccepted, openApp, refusalOf } from "./app.ts";
import { courseOf, keysOf } from "./message-course.ts";
import { describeOnEachStore, ends, storeNames } from "./stoppable-server.ts";

const [queued, sent, delivered] = courseOf("msg_1");

const [host = expect.fail("There is no host.")] = hosts;
/** A restart may take longer than the four seconds of an answer. */
const standing = () => createManualClock(Date.now());
const cases = pairwise({ on: storeNames, host: hosts, end: ends });

describeOnEachStore(
  "webhooks that are handled before they are answered, while their store is restarted",
  (server, name) => {
    describe.each(cases.filter(({ on }) => on === name))("on $host.name, by $end", ({ host, end }) => {
      test("W8, W9: are refused while the store is down, and handled once and in order", async () => {
        const { store, ready } = await server().openStore({ direct: true });
        const app = await openApp(host, { store });
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
      });
    });

    test("W11: an event whose handler was running comes again and completes", async () => {
      const { store, ready, endLeases } = await server().openStore({ direct: true });
      const working = createBarrier();
      const app = await openApp(host, { store, handle: () => working.pass() });
      const answer = app.deliver(sent);
      await working.arrived(1);
      await server().kill();
      working.open();
      const lost = await answer;
      await server().start();
      await ready();
      await endLeases();
      const again = [await app.deliver(sent), await app.deliver(sent)];

      expect(refusalOf(lost)).toEqual(notAccepted);
      expect(again.map(({ status }) => status)).toEqual([204, 204]);
      expect(keysOf(app.calls.entries)).toEqual([...keysOf([sent]), ...keysOf([sent])]);
      expect(typesOf(app.events).slice(-2)).toEqual(["webhook.handled", "webhook.duplicate"]);
      app.expectNoSecrets();
    });

    test("a handler that runs longer than the outage completes its event, and runs once", async () => {
      const clock = standing();
      const { store, ready } = await server().openStore({ direct: true, ...(name === "PostgreSQL" && { clock }) });
      const working = createBarrier();
      const app = await openApp(host, { store, options: { clock }, handle: () => working.pass() });
      const answer = app.deliver(sent);
      await working.arrived(1);
      await server().kill();
      await server().start();
      await ready();
      working.open();

      expect((await answer).status).toBe(204);
      expect((await app.deliver(sent)).status).toBe(204);
      expect(app.calls.entries).toHaveLength(1);
    });

    test("W12: a handler whose event was taken over completes nothing", async () => {
      const clock = standing();
      const { store, ready, endLeases } = await server().openStore({
        direct: true,
        // Its first connections after a restart may take longer than the store's two seconds.
        ...(name === "PostgreSQL" && { clock }),
      });
      const working = createBarrier();
      const options = { name: "cluster", clock };
      const slow = await openApp(host, { store, options, handle: () => working.pass() });
      const next = await openApp(host, { store, options });
      const answer = slow.deliver(sent);
      await working.arrived(1);
      await server().kill();
      await server().start();
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
  },
);
