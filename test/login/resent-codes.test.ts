import { appCodes } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { appOwned, newestCode, phone, serviceOwned, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { openPlatforms } from "../support/platforms.ts";
import { refusal } from "../support/scripted-service.ts";

const { everyStore } = await openPlatforms();

describe.each(everyStore(0))("codes of the app that are sent again, on $name", (platform) => {
  const { codes } = appOwned;

  test("L29: another send carries the same code, so the code of a late text is right", async () => {
    const { started, service, clock } = await setUpLogin(platform, { codes });
    const browser = await started();
    const first = newestCode(service);
    await clock.advance(200_000);
    await browser.post("/login/resend");
    await clock.advance(200_000);
    const answer = await browser.post("/login/confirm", { code: first });

    expect([newestCode(service), answer.json.status]).toEqual([first, "logged_in"]);
  });

  test("L29: another send adds no code that is right, and no attempt", async () => {
    const { started, service } = await setUpLogin(platform, { codes });
    const browser = await started();
    for (let attempt = 0; attempt < 3; attempt++) await browser.post("/login/confirm", { code: wrongCode(service) });
    const resent = await browser.post("/login/resend");
    const sent = new Set(service.created.map(({ custom_otp }) => custom_otp));

    expect([sent.size, resent.json.attemptsLeft]).toEqual([1, 2]);
  });

  test("a code is sent again for five minutes; after them it is replaced, and the one before it is named as such", async () => {
    const { started, service, clock } = await setUpLogin(platform, { codes });
    const browser = await started();
    const first = newestCode(service);
    await clock.advance(299_000);
    await browser.post("/login/resend");
    const repeated = newestCode(service);
    await clock.advance(1000);
    await browser.post("/login/resend");
    const replaced = newestCode(service);
    const late = await browser.post("/login/confirm", { code: first });
    const confirmed = await browser.post("/login/confirm", { code: replaced });

    expect([repeated === first, replaced === first]).toEqual([true, false]);
    expect([late.status, late.json.code, late.json.attemptsLeft]).toEqual([400, "newer_code_sent", 4]);
    expect(confirmed.json.status).toBe("logged_in");
  });

  test("a code with the longest lifetime lives ten minutes after its first send, however often it is sent again", async () => {
    const { started, clock } = await setUpLogin(platform, { codes: appCodes({ lifetimeSeconds: 600 }) });
    const browser = await started();
    await clock.advance(200_000);
    const resent = await browser.post("/login/resend");
    await clock.advance(100_000);
    const replaced = await browser.post("/login/resend");
    expect([resent.json.expiresInSeconds, replaced.json.expiresInSeconds]).toEqual([400, 600]);
  });

  test("L9: a login whose password is no longer listed ends", async () => {
    const app = platform.deploy();
    const before = await setUpLogin(platform, { app, codes });
    const browser = await before.started();
    const fresh = await setUpLogin(platform, { app, codes, options: { session: { password: "f".repeat(32) } } });
    const moved = fresh.open();
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
    const resent = await moved.post("/login/resend");
    const confirmed = await moved.post("/login/confirm", { code: newestCode(before.service) });

    expect([resent.json.code, confirmed.json.code]).toEqual(["send_failed", "no_transaction"]);
    expect(fresh.service.created).toHaveLength(0);
  });

  test("two logins of one number have different codes", async () => {
    const { started, service } = await setUpLogin(platform, { codes });
    for (let login = 0; login < 8; login++) await started();
    expect(new Set(service.created.map(({ custom_otp }) => custom_otp)).size).toBeGreaterThan(1);
  });
});

describe.each(everyStore(1))("codes of the service that are sent again, on $name", (platform) => {
  const { codes } = serviceOwned;

  test("L29: an earlier code is answered with the news that a newer one was sent", async () => {
    const { started, service } = await setUpLogin(platform, { codes });
    const browser = await started();
    const before = await browser.post("/login/confirm", { code: wrongCode(service) });
    await browser.post("/login/resend");
    service.onConfirm = () => refusal("verify.invalid_code");
    const earlier = await browser.post("/login/confirm", { code: service.code });

    expect([before.json.code, earlier.json.code]).toEqual(["code_rejected", "newer_code_sent"]);
    expect(earlier.json.title).toMatch(/A newer code was sent/);
  });
});

describe.each(everyStore(0))("the life of a code on $name, codes of $owner", (platform) => {
  test("a right code finishes the login for ten minutes after it was sent, however often finishing fails", async () => {
    let fails = true;
    const { started, service, clock } = await setUpLogin(platform, {
      login: {
        onLogin: () => {
          if (fails) throw new Error("the app's database is down");
          return "user_1";
        },
      },
    });
    const open = async () => ({ browser: await started(), code: newestCode(service) });
    const [inTime, late] = [await open(), await open()];
    const confirm = async ({ browser, code }: typeof inTime) => {
      const { json } = await browser.post("/login/confirm", { code });
      return json.code ?? json.status;
    };
    for (let elapsed = 0; elapsed < 590; elapsed += 59) {
      await clock.advance(59_000);
      expect([await confirm(inTime), await confirm(late)]).toEqual(["login_unfinished", "login_unfinished"]);
    }
    fails = false;
    await clock.advance(9000);
    const finished = await confirm(inTime);
    await clock.advance(1000);

    expect([finished, await confirm(late)]).toEqual(["logged_in", "code_expired"]);
  });
});

describe.each(everyStore(0))("a start again on $name, codes of $owner", (platform) => {
  test("for the number that is under way goes on with that login, and sends nothing", async () => {
    const { started, service } = await setUpLogin(platform, { login: { limits: { cooldownSeconds: 30 } } });
    const browser = await started();
    const first = await browser.get("/login/state");
    const code = newestCode(service);
    await browser.post("/login/confirm", { code: wrongCode(service) });
    const again = await browser.post("/login/start", { phone: phone.replace("+49", "+49 (0) ") });
    const confirmed = await browser.post("/login/confirm", { code });

    expect(again.status).toBe(200);
    expect(again.json).toMatchObject({ transaction: first.json.transaction, attemptsLeft: 4, resendInSeconds: 30 });
    expect(service.created).toHaveLength(1);
    expect(confirmed.json.status).toBe("logged_in");
  });

  test("after the attempts are used up sends a new code", async () => {
    const { started, service } = await setUpLogin(platform);
    const browser = await started();
    for (let attempt = 0; attempt < 5; attempt++) await browser.post("/login/confirm", { code: wrongCode(service) });
    const again = await browser.post("/login/start", { phone });

    expect([again.status, again.json.attemptsLeft, service.created.length]).toEqual([200, 5, 2]);
  });
});
