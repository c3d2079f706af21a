import { describe, expect, test } from "vitest";
import type { Browser } from "../support/browser.ts";
import { newestCode, wrongCode } from "../support/login-setup.ts";
import type { App } from "./app.ts";
import {
  expectEither,
  expectLogin,
  type InterruptedCase,
  interruptedCases,
  interruptLogins,
  loginsOf,
} from "./interrupted-login.ts";
import { describeOnEach } from "./stoppable-server.ts";

describeOnEach("a wrong code whose connection to the store is cut at any command", (server, name) => {
  describe.each(interruptedCases(name))("on $host.name, codes owned by $owner.owner, the $loss lost", (given) => {
    test("L1, L2: counts as one attempt or none, and the right code logs in", async () => {
      const commands = await interruptLogins(server(), given, async ({ app, phone, interrupt }) => {
        const browser = await app.started({ phone });
        const wrong = () => browser.post("/login/confirm", { code: wrongCode(app.service) });
        expectEither(await interrupt(wrong), "code_rejected");
        expect([4, 5]).toContain(await attemptsLeft(browser));
        await expectLogin(app, browser, phone);
      });
      // One for each trip: what is asked at once travels to Redis together.
      expect(commands).toBeGreaterThanOrEqual(2);
    });

    test("L2: at most five codes are checked, and then no code is right", async () => {
      await interruptLogins(server(), given, async ({ app, phone, interrupt }) => {
        const browser = await app.started({ phone });
        const before = checked(app);
        const wrong = () => browser.post("/login/confirm", { code: wrongCode(app.service) });
        await interrupt(wrong);
        for (let attempt = 0; attempt < 5; attempt++) await wrong();
        const right = await browser.post("/login/confirm", { code: newestCode(app.service) });
        expect(right.json.code).toBe("attempts_exhausted");
        expect([4, 5]).toContain(checked(app) - before);
        expect(loginsOf(app, phone)).toEqual([]);
      });
    });
  });
});

describeOnEach("a right code whose connection to the store is cut at any command", (server, name) => {
  test.each(interruptedCases(name))(
    "L19: on $host.name, codes owned by $owner.owner, the $loss lost: logs in when it is sent again, and gives no attempt back twice",
    async (given) => {
      const ends: unknown[] = [];
      const commands = await interruptLogins(server(), given, async ({ app, phone, interrupt, endLeases }) => {
        const browser = await app.started({ phone });
        await browser.post("/login/confirm", { code: wrongCode(app.service) });
        const right = () => browser.post("/login/confirm", { code: newestCode(app.service) });
        const first = await interrupt(right);
        // The limits of sending count the login beside its last step: it stands without that.
        const stands = !first.isCut || first.answer.status === 200;
        expectEither({ ...first, isCut: !stands }, "logged_in");
        expect((await browser.get("/account")).status).toBe(stands ? 200 : 401);
        if (stands) return;
        expect(await attemptsLeft(browser)).toBeLessThanOrEqual(4);
        await endLeases();
        const again = await right();
        ends.push(again.json.code ?? again.json.status);
        if (again.status !== 200) await browser.post("/login/cancel");
        if (again.status !== 200) await browser.post("/login/start", { phone });
        if (again.status !== 200) await right();
        expect((await browser.get("/account")).status).toBe(200);
        expect(loginsOf(app, phone)).toHaveLength(again.json.code === "no_transaction" ? 2 : 1);
      });
      expect(ends.filter((end) => end !== "logged_in")).toEqual(newCodesFor(given));
      expect(commands).toBeGreaterThanOrEqual(6);
    },
  );
});

/** Two losses cost a new code: that of the approval, which the service gives only once, and that of the end of the login. */
function newCodesFor({ loss, owner: { owner } }: InterruptedCase): readonly string[] {
  if (loss === "answer") return ["no_transaction"];
  return owner === "the service" ? ["code_rejected"] : [];
}

async function attemptsLeft(browser: Browser): Promise<unknown> {
  return (await browser.get("/login/state")).json.attemptsLeft ?? 0;
}

/** Counts the codes that were checked and rejected. */
function checked({ events }: App): number {
  return events.filter(({ type }) => type === "login.code_rejected").length;
}
