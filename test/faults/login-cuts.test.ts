import { describe, expect, test } from "vitest";
import { newestCode } from "../support/login-setup.ts";
import { failedClosed, refusalOf } from "./app.ts";
import { expectEither, expectLogin, interruptedCases, interruptLogins } from "./interrupted-login.ts";
import { describeOnEach } from "./stoppable-server.ts";

describeOnEach("a request of a login whose connection to the store is cut at any command", (server, name) => {
  describe.each(interruptedCases(name))("on $host.name, codes owned by $owner.owner, the $loss lost", (given) => {
    test("L15, L17: a start sends no code, or one at its last command; the next start logs in", async () => {
      let sent = 0;
      const commands = await interruptLogins(server(), given, async ({ app, phone, interrupt }) => {
        const [browser, before] = [app.open(), app.service.created.length];
        const first = await interrupt(() => browser.post("/login/start", { phone }));
        expectEither(first, "code_sent");
        if (first.isCut) {
          sent += app.service.created.length - before;
          expect(browser.cookies.size).toBe(0);
          await browser.post("/login/start", { phone });
        }
        await expectLogin(app, browser, phone);
      });
      expect(sent).toBe(1);
      expect(commands).toBeGreaterThanOrEqual(2);
    });

    test("a resend can be repeated, and its code logs in", async () => {
      const commands = await interruptLogins(server(), given, async ({ app, phone, interrupt, endLeases }) => {
        const browser = await app.started({ phone });
        expectEither(await interrupt(() => browser.post("/login/resend")), "code_sent");
        await endLeases();
        expect((await browser.post("/login/resend")).json.status).toBe("code_sent");
        await expectLogin(app, browser, phone);
      });
      expect(commands).toBeGreaterThanOrEqual(9);
    });

    test("L24: a guarded request is refused with 503, neither let through nor sent to the login", async () => {
      const commands = await interruptLogins(server(), given, async ({ app, phone, interrupt }) => {
        const browser = await app.started({ phone });
        await expectLogin(app, browser, phone);
        const { answer, isCut } = await interrupt(() => browser.get("/account"));
        expect(refusalOf(answer)).toEqual(isCut ? failedClosed : [200, undefined, null]);
        expect((await browser.get("/account")).status).toBe(200);
      });
      expect(commands).toBeGreaterThanOrEqual(1);
    });

    test("L21: a logout that is repeated ends the session in every copy, and the login that was started", async () => {
      const commands = await interruptLogins(server(), given, async ({ app, phone, interrupt }) => {
        const browser = await app.started({ phone });
        await expectLogin(app, browser, phone);
        await browser.post("/login/start", { phone });
        const thief = browser.copy();
        expectEither(await interrupt(() => browser.post("/login/logout")), "none");
        const again = await browser.post("/login/logout");
        const confirmed = await thief.post("/login/confirm", { code: newestCode(app.service) });
        expect([again.json.status, (await thief.get("/account")).status]).toEqual(["none", 401]);
        expect(confirmed.json.code).toBe("no_transaction");
      });
      expect(commands).toBeGreaterThanOrEqual(1);
    });
  });
});
