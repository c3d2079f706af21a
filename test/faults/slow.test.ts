import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { openEngine } from "../inbox/open-engine.ts";
import { holdAnswers } from "../support/held-answers.ts";
import { hosts } from "../support/hosts.ts";
import { newestCode, otherPhone, phone, wrongCode } from "../support/login-setup.ts";
import { untilAnswered } from "../support/poll.ts";
import { failedClosed, notAccepted, openApp, pairsOf, refusalOf } from "./app.ts";
import { courseOf, keysOf } from "./message-course.ts";
import { describeOnEach } from "./stoppable-server.ts";

const [queued, sent, delivered] = courseOf("msg_1");
const [first = expect.fail("There is no host.")] = hosts;

describeOnEach("a store that answers too late", (server) => {
  describe.each(pairsOf(hosts))("on $on, codes owned by $owner", ({ host, codes, owner }) => {
    test("L24: requests are refused in time, those that need no store are answered, and everything works again later", async () => {
      const clock = createManualClock();
      const { store, proxy, ready, endLeases } = await server().openStore({ clock });
      const app = await openApp(host, { codes, store });
      const member = await app.loggedIn();
      const browser = await app.started({ phone: otherPhone });
      await app.deliver(queued);
      const restore = holdAnswers([proxy], clock);
      const asked = [
        app.open().post("/login/start", { phone }),
        browser.post("/login/confirm", { code: wrongCode(app.service) }),
        browser.post("/login/confirm", { code: newestCode(app.service) }),
        member.get("/account"),
        member.post("/login/logout"),
      ];
      const delivery = app.deliver(sent);
      const meanwhile = await app.open().get("/login/state");
      const refused = await Promise.all(asked);
      const notDelivered = await delivery;
      restore();
      await ready();
      await endLeases();
      const right = await browser.post("/login/confirm", { code: newestCode(app.service) });
      const guarded = await browser.get("/account");
      const after = [await app.deliver(sent), await app.deliver(delivered)];

      expect(meanwhile.json).toEqual({ status: "none", version: expect.any(String) });
      expect(refused.map(refusalOf)).toEqual(Array(5).fill(failedClosed));
      expect(refusalOf(notDelivered)).toEqual(notAccepted);
      expect([right.json.status, guarded.status]).toEqual(["logged_in", 200]);
      expect(after.map(({ status }) => status)).toEqual([204, 204]);
      expect(app.service.created.map(({ recipient }) => recipient)).toEqual([phone, otherPhone]);
      expect(keysOf(app.calls.entries)).toEqual(keysOf([queued, sent, delivered]));
      app.expectNoSecrets();
    });

    test.each([...(owner === "the service" ? ["the service's approval"] : []), "the app's answer"])(
      "L19: late after %s: the same code logs in, as the same login, and is not confirmed again",
      async (from) => {
        const clock = createManualClock();
        const { store, proxy, ready, endLeases } = await server().openStore({ clock });
        let holdsFrom = from;
        let restore = () => {};
        const reach = (what: string) => {
          if (what === holdsFrom) restore = holdAnswers([proxy], clock);
        };
        const app = await openApp(host, { codes, store, onAsked: () => reach("the app's answer") });
        app.service.onConfirm = () => {
          reach("the service's approval");
          return undefined;
        };
        const browser = await app.started();
        const right = () => browser.post("/login/confirm", { code: newestCode(app.service) });
        const late = await right();
        holdsFrom = "nowhere";
        restore();
        await ready();
        await endLeases();
        const before = await browser.get("/account");
        const again = await right();
        const after = await browser.get("/account");

        expect(refusalOf(late)).toEqual(failedClosed);
        expect([before.status, again.json.status, after.status]).toEqual([401, "logged_in", 200]);
        expect(app.service.confirmations).toHaveLength(owner === "the service" ? 1 : 0);
        expect(new Set(app.logins.map(({ loginId }) => loginId)).size).toBe(1);
        app.expectNoSecrets();
      },
    );
  });

  test("W9, W10: late after a handler: the delivery is refused in time, and its event is not handled again", async () => {
    const clock = createManualClock();
    const { store, proxy, ready } = await server().openStore({ clock });
    let restore = () => {};
    const handle = () => {
      restore = holdAnswers([proxy], clock);
    };
    const app = await openApp(first, { store, handle });
    const refused = await app.deliver(sent);
    restore();
    await ready();
    const again = await app.deliver(sent);

    expect([refusalOf(refused), again.status]).toEqual([notAccepted, 204]);
    expect(app.calls.entries).toHaveLength(1);
    app.expectNoSecrets();
  });

  test("W9: an inbox that answers too late: the delivery is refused in time, comes again, and is handled once", async () => {
    const clock = createManualClock();
    const engine = await server().openEngine({ proxied: true, bull: { clock }, postgres: { clock } });
    const apps = await Promise.all(
      hosts.map((host) => openApp(host, { ...engine, webhooks: { inbox: engine.inbox } })),
    );
    const worker = openEngine(engine.place);
    onTestFinished(worker.close);
    const working = await openApp(first, {
      store: worker.store,
      webhooks: { inbox: worker.inbox },
      handle: worker.effect,
    });
    await working.doorcode.work();
    for (const app of apps) expect((await app.deliver(queued)).status).toBe(204);
    const restore = holdAnswers([engine.proxy], clock);
    const refused = await Promise.all(apps.map((app) => app.deliver(sent)));
    restore();
    await untilAnswered(() => engine.inbox.deadLetters(1));
    const again = await Promise.all(apps.map((app) => app.deliver(sent)));
    await expect.poll(worker.effects).toEqual(keysOf([queued, sent]));

    expect(refused.map(refusalOf)).toEqual(apps.map(() => notAccepted));
    expect(again.map(({ status }) => status)).toEqual(apps.map(() => 204));
    expect(working.calls.entries).toHaveLength(2);
    for (const app of [...apps, working]) app.expectNoSecrets();
  });
});
