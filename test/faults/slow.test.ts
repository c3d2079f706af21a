import { describe, expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { newestCode, otherPhone, phone, wrongCode } from "../support/login-setup.ts";
import { failedClosed, notTaken, openApp, pairsOf, refusalOf } from "./app.ts";
import { keysOf, tellingOf } from "./deliveries.ts";
import { describeOnEach } from "./ground.ts";
import { patience, succeeds } from "./patience.ts";

const [queued, sent, delivered] = tellingOf("msg_1");
const short = { timeoutSeconds: 0.5 };

describeOnEach("a store that answers too late", (ground) => {
  describe.each(pairsOf(hosts))("on $on, codes owned by $owner", ({ host, codes, owner }) => {
    test("L24: all is refused in time, whatever needs no store is answered meanwhile, and all goes on", async () => {
      const { store, wire, ready, endLeases } = await ground().openStore(short);
      const app = await openApp(host, { codes, store });
      const member = await app.loggedIn();
      const browser = await app.started({ phone: otherPhone });
      await app.deliver(queued);
      wire.holdAnswers();
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
      wire.restore();
      await ready();
      await endLeases();
      const right = await browser.post("/login/confirm", { code: newestCode(app.service) });
      const guarded = await browser.get("/account");
      const after = [await app.deliver(sent), await app.deliver(delivered)];

      expect(meanwhile.json).toEqual({ status: "none" });
      expect(refused.map(refusalOf)).toEqual(Array(5).fill(failedClosed));
      expect(refusalOf(notDelivered)).toEqual(notTaken);
      expect([right.json.status, guarded.status]).toEqual(["logged_in", 200]);
      expect(after.map(({ status }) => status)).toEqual([204, 204]);
      expect(app.service.created.map(({ recipient }) => recipient)).toEqual([phone, otherPhone]);
      expect(keysOf(app.calls.entries)).toEqual(keysOf([queued, sent, delivered]));
      app.expectSilence();
    });

    test.each([...(owner === "the service" ? ["the service's approval"] : []), "the app's answer"])(
      "L19: late from %s on: the same code logs in, under the same login, and is not asked about again",
      async (from) => {
        const { store, wire, ready, endLeases } = await ground().openStore(short);
        let holdsFrom = from;
        const reach = (what: string) => {
          if (what === holdsFrom) wire.holdAnswers();
        };
        const app = await openApp(host, { codes, store, whenAsked: () => reach("the app's answer") });
        app.service.onConfirm = () => {
          reach("the service's approval");
          return undefined;
        };
        const browser = await app.started();
        const right = () => browser.post("/login/confirm", { code: newestCode(app.service) });
        const late = await right();
        holdsFrom = "nowhere";
        wire.restore();
        await ready();
        await endLeases();
        const before = await browser.get("/account");
        const again = await right();
        const after = await browser.get("/account");

        expect(refusalOf(late)).toEqual(failedClosed);
        expect([before.status, again.json.status, after.status]).toEqual([401, "logged_in", 200]);
        expect(app.service.confirmations).toHaveLength(owner === "the service" ? 1 : 0);
        expect(new Set(app.logins.map(({ loginId }) => loginId)).size).toBe(1);
        app.expectSilence();
      },
    );

    test("W9, W10: late after a handler: the delivery is refused in time, and what was marked late is not done again", async () => {
      const { store, wire, ready } = await ground().openStore(short);
      const app = await openApp(host, { store, handle: wire.holdAnswers });
      const refused = await app.deliver(sent);
      wire.restore();
      await ready();
      const again = await app.deliver(sent);

      expect([refusalOf(refused), again.status]).toEqual([notTaken, 204]);
      expect(app.calls.entries).toHaveLength(1);
      app.expectSilence();
    });
  });

  test("W9: an inbox that answers too late: the delivery is refused in time, comes again, and is handled once", async () => {
    const engine = await ground().openEngine({ wired: true, bull: { timeoutSeconds: 0.5 } });
    const apps = await Promise.all(
      hosts.map((host) => openApp(host, { ...engine, webhooks: { inbox: engine.inbox } })),
    );
    const worker = engine.openAnother();
    const working = await openApp(hosts[0] ?? expect.fail(), {
      store: worker.store,
      webhooks: { inbox: worker.inbox },
      handle: worker.effect,
    });
    await working.doorcode.work();
    for (const app of apps) expect((await app.deliver(queued)).status).toBe(204);
    engine.wire.holdAnswers();
    const refused = await Promise.all(apps.map((app) => app.deliver(sent)));
    engine.wire.restore();
    await succeeds(() => engine.inbox.deadLetters(1));
    const again = await Promise.all(apps.map((app) => app.deliver(sent)));
    await expect.poll(worker.effects, patience).toEqual(keysOf([queued, sent]));

    expect(refused.map(refusalOf)).toEqual(apps.map(() => notTaken));
    expect(again.map(({ status }) => status)).toEqual(apps.map(() => 204));
    expect(working.calls.entries).toHaveLength(2);
    for (const app of [...apps, working]) app.expectSilence();
  });
});
