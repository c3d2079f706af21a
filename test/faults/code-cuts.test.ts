import { describe, expect, test } from "vitest";
import type { Browser } from "../support/browser.ts";
import { hosts } from "../support/hosts.ts";
import { newestCode, wrongCode } from "../support/login-setup.ts";
import { type App, casesOf, pairsOf } from "./app.ts";
import { describeOnEach } from "./ground.ts";
import { expectEither, expectLogin, loginsOf, tryAtEach, withLosses } from "./login-trial.ts";

describeOnEach("a connection that is cut at any command of a wrong code", (ground) => {
  describe.each(withLosses(pairsOf(hosts)))("on $on, codes owned by $owner, the $loss lost", (given) => {
    test("L1, L2: it is one attempt or none, and the right one logs in", async () => {
      const commands = await tryAtEach(ground(), given, async ({ app, phone, interrupt }) => {
        const browser = await app.started({ phone });
        const wrong = () => browser.post("/login/confirm", { code: wrongCode(app.service) });
        expectEither(await interrupt(wrong), "code_rejected");
        expect([4, 5]).toContain(await attemptsLeft(browser));
        await expectLogin(app, browser, phone);
      });
      expect(commands).toBeGreaterThanOrEqual(4);
    });

    test("L2: no more than five are judged, and none is right any more", async () => {
      await tryAtEach(ground(), given, async ({ app, phone, interrupt }) => {
        const browser = await app.started({ phone });
        const before = judged(app);
        const wrong = () => browser.post("/login/confirm", { code: wrongCode(app.service) });
        await interrupt(wrong);
        for (let attempt = 0; attempt < 5; attempt++) await wrong();
        const right = await browser.post("/login/confirm", { code: newestCode(app.service) });
        expect(right.json.code).toBe("attempts_exhausted");
        expect([4, 5]).toContain(judged(app) - before);
        expect(loginsOf(app, phone)).toEqual([]);
      });
    });
  });
});

describeOnEach("a connection that is cut at any command of a right code", (ground) => {
  test.each(withLosses(casesOf(hosts)))(
    "L19: on $on, codes owned by $owner, the $loss lost: it logs in when it is sent again, and gives no attempt back twice",
    async (given) => {
      const ends: unknown[] = [];
      const commands = await tryAtEach(ground(), given, async ({ app, phone, interrupt, endLeases }) => {
        const browser = await app.started({ phone });
        await browser.post("/login/confirm", { code: wrongCode(app.service) });
        const right = () => browser.post("/login/confirm", { code: newestCode(app.service) });
        const first = await interrupt(right);
        expectEither(first, "logged_in");
        expect((await browser.get("/account")).status).toBe(first.isCut ? 401 : 200);
        if (!first.isCut) return;
        expect(await attemptsLeft(browser)).toBeLessThanOrEqual(4);
        await endLeases();
        const again = await right();
        ends.push(again.json.code ?? again.json.status);
        if (again.status !== 200) await browser.post("/login/start", { phone });
        if (again.status !== 200) await right();
        expect((await browser.get("/account")).status).toBe(200);
        expect(loginsOf(app, phone)).toHaveLength(again.json.code === "no_transaction" ? 2 : 1);
      });
      expect(ends.filter((end) => end !== "logged_in")).toEqual(newCodesFor(given));
      expect(commands).toBeGreaterThanOrEqual(9);
    },
  );
});

/** Two losses cannot be helped, and cost a new code: of the service's approval, which it gives once, and of the login's end. */
function newCodesFor({ loss, owner }: { readonly loss: string; readonly owner: string }): readonly string[] {
  if (loss === "answer") return ["no_transaction"];
  return owner === "the service" ? ["code_rejected"] : [];
}

async function attemptsLeft(browser: Browser): Promise<unknown> {
  return (await browser.get("/login/state")).json.attemptsLeft ?? 0;
}

/** How many codes were found wrong. */
function judged({ events }: App): number {
  return events.filter(({ type }) => type === "login.code_rejected").length;
}
