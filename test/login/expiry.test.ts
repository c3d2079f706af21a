import { appCodes } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "../support/browser.ts";
import { newestCode, setUpStarted } from "../support/login-setup.ts";
import { inMemory, type Platform } from "../support/platforms.ts";

const lifetimeSeconds = { "the service": 600, "the app": 300 };

describe.each(inMemory)("L8: the expiry of codes on $name, codes of $owner", (platform) => {
  const ttlSeconds = lifetimeSeconds[platform.owner];

  test.each([
    { after: "one second before its expiry", seconds: ttlSeconds - 1, outcome: "logged_in" },
    { after: "at its expiry", seconds: ttlSeconds, outcome: "code_expired" },
    { after: "one day after its expiry", seconds: ttlSeconds + 86_400, outcome: "no_transaction" },
  ])("a right code $after gives $outcome", async ({ seconds, outcome }) => {
    const { browser, service, clock } = await setUpStarted(platform);
    await clock.advance(seconds * 1000);
    const answer = await browser.post("/login/confirm", { code: newestCode(service) });
    expect(outcomeOf(answer)).toBe(outcome);
  });

  test("a login ends after one hour, however often its code is resent", async () => {
    const { browser, service, clock } = await setUpStarted(platform);
    for (let elapsed = 0; elapsed < 3600; elapsed += 240) {
      await browser.post("/login/resend");
      await clock.advance(240_000);
    }
    const answer = await browser.post("/login/confirm", { code: newestCode(service) });
    expect(answer.json.code).toBe("code_expired");
  });
});

/** Starts an app whose first login cannot be finished, because its database is down. */
async function setUpUnfinished(platform: Platform, lifetimeSeconds: number) {
  const database = { isDown: true };
  const { browser, ...login } = await setUpStarted(platform, {
    codes: appCodes({ lifetimeSeconds }),
    login: {
      onLogin: () => (database.isDown ? Promise.reject(new Error("the database is down")) : "user_1"),
    },
  });
  const confirm = async () => {
    const { json } = await browser.post("/login/confirm", { code: newestCode(login.service) });
    return json.code ?? json.status;
  };
  return { ...login, browser, database, confirm };
}

describe.each(inMemory)("a right code that the app could not finish, on $name", (platform) => {
  test.each([
    { what: "a minute after the failure", lifetimeSeconds: 300, failsAt: 299, againAt: 358, outcome: "logged_in" },
    { what: "no longer than a minute", lifetimeSeconds: 300, failsAt: 299, againAt: 359, outcome: "code_expired" },
    { what: "its lifetime at least", lifetimeSeconds: 300, failsAt: 1, againAt: 299, outcome: "logged_in" },
    { what: "never after ten minutes", lifetimeSeconds: 600, failsAt: 599, againAt: 600, outcome: "code_expired" },
  ])("finishes the login for $what: $outcome after $againAt seconds", async (given) => {
    const { clock, database, confirm } = await setUpUnfinished(platform, given.lifetimeSeconds);
    await clock.advance(given.failsAt * 1000);
    const failed = await confirm();
    database.isDown = false;
    await clock.advance((given.againAt - given.failsAt) * 1000);
    expect([failed, await confirm()]).toEqual(["login_unfinished", given.outcome]);
  });

  test.each([
    { againAt: 3659, outcome: "logged_in" },
    { againAt: 3660, outcome: "code_expired" },
  ])(
    "finishes a login that was resent for an hour until a minute later, however often it fails: $outcome after $againAt seconds",
    async (given) => {
      const { browser, clock, database, confirm } = await setUpUnfinished(platform, 300);
      for (let elapsed = 0; elapsed < 3360; elapsed += 240) {
        await clock.advance(240_000);
        await browser.post("/login/resend");
      }
      await clock.advance(239_000);
      const failed = [await confirm()];
      await clock.advance(51_000);
      failed.push(await confirm());
      database.isDown = false;
      await clock.advance((given.againAt - 3650) * 1000);
      expect([...failed, await confirm()]).toEqual(["login_unfinished", "login_unfinished", given.outcome]);
    },
  );
});
