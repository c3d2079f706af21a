import { describe, expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { newestCode } from "../support/login-setup.ts";
import { failedClosed, pairsOf, refusalOf } from "./app.ts";
import { describeOnEach } from "./ground.ts";
import { expectEither, expectLogin, tryAtEach, withLosses } from "./login-trial.ts";

describeOnEach("a connection that is cut at any command around a code", (ground) => {
  describe.each(withLosses(pairsOf(hosts)))("on $on, codes owned by $owner, the $loss lost", (given) => {
    test("L15, L17: a start sends nothing, or one code at its last command; a new one logs in", async () => {
      let sent = 0;
      const commands = await tryAtEach(ground(), given, async ({ app, phone, interrupt }) => {
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
      expect([commands, sent]).toEqual([3, 1]);
    });

    test("a resend is followed by one that works, and its code logs in", async () => {
      const commands = await tryAtEach(ground(), given, async ({ app, phone, interrupt, endLeases }) => {
        const browser = await app.started({ phone });
        expectEither(await interrupt(() => browser.post("/login/resend")), "code_sent");
        await endLeases();
        expect((await browser.post("/login/resend")).json.status).toBe("code_sent");
        await expectLogin(app, browser, phone);
      });
      expect(commands).toBeGreaterThanOrEqual(9);
    });

    test("L24: a guarded request is neither passed nor led to log in", async () => {
      const commands = await tryAtEach(ground(), given, async ({ app, phone, interrupt }) => {
        const browser = await app.started({ phone });
        await expectLogin(app, browser, phone);
        const { answer, isCut } = await interrupt(() => browser.get("/account"));
        expect(refusalOf(answer)).toEqual(isCut ? failedClosed : [200, undefined, null]);
        expect((await browser.get("/account")).status).toBe(200);
      });
      expect(commands).toBeGreaterThanOrEqual(1);
    });

    test("L21: a logout that is repeated ends the session in every copy, and the login under way", async () => {
      const commands = await tryAtEach(ground(), given, async ({ app, phone, interrupt }) => {
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
      expect(commands).toBe(2);
    });
  });
});
