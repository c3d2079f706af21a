import { appCodes, serviceCodes } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { createFailingStore } from "../support/failing-store.ts";
import { codeOwners, newestCode, phone, serviceOwned, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { appSenders, inMemory, ownTexts } from "../support/platforms.ts";
import { refusal } from "../support/scripted-service.ts";

describe.each(appSenders)("codes of the app that are sent again, on $name", (platform) => {
  test("L29: another send carries the same code, so the code of a late text is right", async () => {
    const { started, service, clock } = await setUpLogin(platform);
    const browser = await started();
    const first = newestCode(service);
    await clock.advance(200_000);
    await browser.post("/login/resend");
    await clock.advance(200_000);
    const answer = await browser.post("/login/confirm", { code: first });

    expect([newestCode(service), answer.json.status]).toEqual([first, "logged_in"]);
  });

  test("L29: another send adds no code that is right, and no attempt", async () => {
    const { started, service } = await setUpLogin(platform);
    const browser = await started();
    for (let attempt = 0; attempt < 3; attempt++) await browser.post("/login/confirm", { code: wrongCode(service) });
    const resent = await browser.post("/login/resend");
    const sent = new Set(service.created.map(({ custom_otp }) => custom_otp));

    expect([sent.size, resent.json.attemptsLeft]).toEqual([1, 2]);
  });

  test("a code is sent again for five minutes; after them it is replaced, and the one before it is named as such", async () => {
    const { started, service, clock } = await setUpLogin(platform);
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
    const before = await setUpLogin(platform, { app });
    const browser = await before.started();
    const fresh = await setUpLogin(platform, {
      app,
      options: { session: { password: "f".repeat(32) } },
      login: { limits: { cooldownSeconds: 0, sendsPerPhone: 2 } },
    });
    const moved = fresh.open();
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
    await moved.post("/login/resend");
    // Nothing was sent, so the number's budget is as it was.
    const resent = await moved.post("/login/resend");
    const confirmed = await moved.post("/login/confirm", { code: newestCode(before.service) });

    expect([resent.json.code, confirmed.json.code]).toEqual(["send_failed", "no_transaction"]);
    expect(fresh.service.created).toHaveLength(0);
    expect(fresh.events.find(({ type }) => type === "login.send_failed")).toMatchObject({
      error: { code: "send_failed", outcome: "refused" },
    });
  });
});

describe.each(inMemory)("codes of the service that are sent again, on $name", (platform) => {
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

describe.each(inMemory)("another code that fails, on $name", (platform) => {
  /** Starts a login whose next code is a new one whoever owns the codes. */
  async function setUpResend(owner: (typeof codeOwners)[number]["owner"]) {
    const codes = owner === "the app" ? appCodes({ lifetimeSeconds: 600 }) : serviceCodes({ template: "login" });
    const limits = { cooldownSeconds: 30, sendsPerPhone: 2, failuresPerPhoneInTenMinutes: 100 };
    const app = platform.deploy();
    const failing = createFailingStore(app);
    const login = await setUpLogin(platform, { app, store: failing.store, codes, login: { limits } });
    const browser = await login.started();
    await login.clock.advance(301_000);
    const state = (await browser.get("/login/state")).json;
    return { ...login, browser, failing, state };
  }

  test.each(codeOwners)(
    "L15: leaves the login and the number's budget as they were if $owner's code was surely not sent",
    async ({ owner }) => {
      const { browser, open, state, service } = await setUpResend(owner);
      const code = newestCode(service);
      const wrong = wrongCode(service);
      service.onCreate = () => ({ status: 422, body: {} });
      const refused = await browser.post("/login/resend");
      const after = await browser.get("/login/state");
      const rejected = await browser.post("/login/confirm", { code: wrong });
      const confirmed = await browser.post("/login/confirm", { code });
      service.onCreate = () => undefined;
      const next = await open().post("/login/start", { phone });

      expect([refused.json.code, next.json.status]).toEqual(["send_failed", "code_sent"]);
      // Its page may be told of a send that failed: nothing that it shows is another one.
      expect(after.json).toEqual({ ...state, version: expect.any(String) });
      expect(state).toMatchObject({ expiresInSeconds: 299, resendInSeconds: 0 });
      expect([rejected.json.code, confirmed.json.status]).toEqual(["code_rejected", "logged_in"]);
    },
  );

  test.each(codeOwners)(
    "of $owner that was surely not sent leaves the code before it right, also if its counters cannot be given back",
    async ({ owner }) => {
      const { browser, failing, service } = await setUpResend(owner);
      const code = newestCode(service);
      service.onCreate = () => {
        failing.failOn(({ what }) => what.startsWith("increment"));
        return { status: 422, body: {} };
      };
      const refused = await browser.post("/login/resend");
      failing.repair();
      const confirmed = await browser.post("/login/confirm", { code });

      expect([refused.json.code, confirmed.json.status]).toEqual(["send_failed", "logged_in"]);
    },
  );

  test.each(codeOwners)("renews the login if $owner's code may be on its way", async ({ owner }) => {
    const { browser, service } = await setUpResend(owner);
    const wrong = wrongCode(service);
    service.onCreate = () => ({ status: 500, body: {} });
    const unknown = await browser.post("/login/resend");
    const after = await browser.get("/login/state");
    const rejected = await browser.post("/login/confirm", { code: wrong });

    expect([unknown.json.code, unknown.headers.get("retry-after")]).toEqual(["service_unavailable", "5"]);
    // Until the service names another code, only the one before it can be checked, and no longer than before.
    const expiresInSeconds = owner === "the app" ? 600 : 299;
    expect(after.json).toMatchObject({ expiresInSeconds, resendInSeconds: 30 });
    expect(rejected.json.code).toBe("newer_code_sent");
  });

  test.each([
    { seconds: 598, outcome: "logged_in" },
    { seconds: 600, outcome: "code_expired" },
  ])("L8: makes no code before it right for longer: $outcome after $seconds seconds", async ({ seconds, outcome }) => {
    const { browser, service, clock } = await setUpResend("the service");
    service.onCreate = () => ({ status: 500, body: {} });
    await clock.advance(200_000);
    await browser.post("/login/resend");
    await clock.advance((seconds - 501) * 1000);
    const { json } = await browser.post("/login/confirm", { code: service.code });
    expect(json.code ?? json.status).toBe(outcome);
  });

  test("is refused with the service's time to wait, and says that the service is busy", async () => {
    const { browser, service, events } = await setUpResend("the service");
    service.onCreate = () => ({ status: 429, body: {}, headers: { "retry-after": "60" } });
    const refused = await browser.post("/login/resend");

    expect([refused.status, refused.json.code, refused.headers.get("retry-after")]).toEqual([
      503,
      "service_rate_limited",
      "60",
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "login.refused", step: "resend", code: "service_rate_limited" }),
    );
  });
});

describe.each(inMemory)("a login whose code the service has approved, on $name", (platform) => {
  test("sends no other code while it is not finished", async () => {
    const { started, service } = await setUpLogin(platform, {
      codes: serviceOwned.codes,
      login: { onLogin: () => Promise.reject(new Error("the database is down")) },
    });
    const browser = await started();
    await browser.post("/login/confirm", { code: newestCode(service) });
    const refused = await browser.post("/login/resend");

    expect(refused.json.code).toBe("no_transaction");
    expect(service.created).toHaveLength(1);
  });
});

describe.each([...inMemory, ...ownTexts])("a start again on $name, codes of $owner", (platform) => {
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
});
