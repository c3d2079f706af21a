import { appCodes, createDoorcode, createMemoryStore } from "@doorcode/core";
import { mountLogin } from "@doorcode/core/adapter";
import { requireLogin } from "@doorcode/express";
import { describe, expect, test } from "vitest";
import type { Browser } from "../support/browser.ts";
import { newestCode, otherPhone, password, phone, setUpLoggedIn, wrongCode } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";

const userId = "user_1";

describe.each(inMemory)("a browser that asks for no further step-up, on $name, codes of $owner", (platform) => {
  /** Starts an app whose user has logged in long ago. */
  async function setUp() {
    const account: { phone: string; meanwhile?: () => Promise<void> } = { phone };
    const login = await setUpLoggedIn(platform, {
      account: true,
      login: {
        onLogin: () => userId,
        phoneOf: async () => {
          await account.meanwhile?.();
          return account.phone;
        },
        onLink: ({ phone: proven }) => {
          account.phone = proven;
          return userId;
        },
        onRemove: () => "removed",
      },
    });
    await login.clock.advance(600_000);
    const confirm = (browser: Browser, path: string, more: object) =>
      browser.post(`${path}/confirm`, { code: newestCode(login.service), ...more });
    /** Proves the number again, with the choice to be remembered. */
    async function stepUp(browser: Browser = login.browser, more: object = { remember: true }): Promise<void> {
      await login.clock.advance(1000);
      await browser.post("/step-up/start");
      expect((await confirm(browser, "/step-up", more)).status).toBe(200);
    }
    async function logIn(browser: Browser, more: object = {}): Promise<void> {
      await login.clock.advance(1000);
      await browser.post("/login/start", { phone });
      expect((await confirm(browser, "/login", more)).status).toBe(200);
    }
    /** What the guards say an hour later, when no proof is recent any more. */
    async function later(browser: Browser = login.browser) {
      await login.clock.advance(3_600_000);
      const statuses = await Promise.all(["/orders", "/transfer"].map((path) => browser.get(path)));
      return statuses.map(({ status }) => status);
    }
    return { ...login, account, confirm, stepUp, logIn, later };
  }

  test("passes a guard with orRemembered for the time of the mount, and no guard without it", async () => {
    const { browser, stepUp, later, clock } = await setUp();
    expect((await browser.get("/orders")).json.code).toBe("proof_required");
    await stepUp();
    expect(await later()).toEqual([200, 403]);
    await clock.advance((86_400 - 3601) * 1000);
    expect((await browser.get("/orders")).status).toBe(200);
    await clock.advance(1000);
    expect((await browser.get("/orders")).status).toBe(403);
  });

  test("is remembered only if its person chose so, and after the right code", async () => {
    const { browser, stepUp, later, service } = await setUp();
    await stepUp(browser, {});
    expect(await later()).toEqual([403, 403]);
    await browser.post("/step-up/start");
    await browser.post("/step-up/confirm", { code: wrongCode(service), remember: true });
    expect(await later()).toEqual([403, 403]);
  });

  test("is chosen by a checkbox of a form, and by nothing else than that or true", async () => {
    const { browser, stepUp, later, service } = await setUp();
    for (const remember of [false, "off", "true", 1]) await stepUp(browser, { remember });
    expect(await later()).toEqual([403, 403]);
    await browser.submit("/step-up/start", {});
    await browser.submit("/step-up/confirm", { code: newestCode(service), remember: "on" });
    expect(await later()).toEqual([200, 403]);
  });

  test("is this browser alone, and stays remembered for the next session in it", async () => {
    const { browser, stepUp, logIn, later, open } = await setUp();
    await stepUp();
    const other = open();
    await logIn(other, { remember: true });
    expect(await later(other)).toEqual([403, 403]);

    await browser.post("/login/logout");
    await logIn(browser);
    expect(await later()).toEqual([200, 403]);
  });

  test("is a device that stays known: without its cookie, and after eight newer devices, it is asked again", async () => {
    const { browser, stepUp, logIn, later, open } = await setUp();
    await stepUp();
    const withoutDevice = browser.copy();
    for (const name of withoutDevice.cookies.keys()) if (name.includes("device")) withoutDevice.cookies.delete(name);
    expect(await later(withoutDevice)).toEqual([403, 403]);
    for (let device = 0; device < 8; device++) {
      expect((await browser.get("/orders")).status).toBe(200);
      await logIn(open());
    }
    expect((await browser.get("/orders")).status).toBe(403);
  });

  test("is forgotten with a new number of the account, given by a link or by the app", async () => {
    const { browser, stepUp, later, account, confirm } = await setUp();
    await stepUp();
    await browser.post("/link/start", { phone: otherPhone });
    expect((await confirm(browser, "/link", {})).status).toBe(200);
    expect(await later()).toEqual([403, 403]);
    await stepUp();
    expect(await later()).toEqual([200, 403]);
    account.phone = phone;
    expect(await later()).toEqual([403, 403]);
  });

  test("is forgotten by a link, also if another link gives the account its old number back", async () => {
    const { browser, stepUp, logIn, later, open, clock, confirm } = await setUp();
    await stepUp();
    const elsewhere = open();
    await logIn(elsewhere);
    for (const number of [otherPhone, phone]) {
      await stepUp(elsewhere, {});
      await clock.advance(1000);
      await elsewhere.post("/link/start", { phone: number });
      expect((await confirm(elsewhere, "/link", {})).status).toBe(200);
    }
    expect(await later(browser)).toEqual([403, 403]);
  });

  test("is forgotten when the number is removed, also if the account gets it again", async () => {
    const { browser, stepUp, later } = await setUp();
    await stepUp();
    expect((await browser.post("/link/remove", { phone })).status).toBe(200);
    expect(await later()).toEqual([403, 403]);
  });

  test.each(["a logout everywhere", "the app"])("is forgotten by %s", async (by) => {
    const { browser, doorcode, stepUp, logIn, later } = await setUp();
    await stepUp();
    await doorcode.forgetBrowsers("another user");
    expect(await later()).toEqual([200, 403]);
    await (by === "the app" ? doorcode.forgetBrowsers(userId) : doorcode.session.endAll(userId));
    await logIn(browser);
    expect(await later()).toEqual([403, 403]);
  });

  test("is remembered for its whole time, also when the store no longer knows that others were forgotten", async () => {
    const { browser, doorcode, clock, logIn, stepUp } = await setUp();
    await doorcode.forgetBrowsers(userId);
    await clock.advance((2_592_000 - 43_200) * 1000);
    await logIn(browser);
    await stepUp();
    await clock.advance(43_500_000);
    expect((await browser.get("/orders")).status).toBe(200);
  });

  test("is not remembered by a step-up that was being judged when the user's browsers were forgotten", async () => {
    const { browser, doorcode, later, account, confirm } = await setUp();
    await browser.post("/step-up/start");
    account.meanwhile = () => doorcode.forgetBrowsers(userId);
    expect((await confirm(browser, "/step-up", { remember: true })).status).toBe(200);
    expect(await later()).toEqual([403, 403]);
  });
});

const options = {
  session: { password },
  login: { countries: ["DE"], codes: appCodes({ send: () => undefined }), onLogin: () => userId, phoneOf: () => phone },
} as const;

test("only a step-up remembers browsers, for 30 days at most", () => {
  const mount = (more: object) => () => mountLogin(createDoorcode({ ...options, store: createMemoryStore() }), more);
  expect(mount({ rememberSeconds: 86_400 })).toThrow('rememberSeconds is for purpose "step_up"');
  expect(mount({ purpose: "step_up", rememberSeconds: 2_592_001 })).toThrow("rememberSeconds");
  expect(mount({ purpose: "step_up", rememberSeconds: 2_592_000 })).not.toThrow();
});

test("the offer of a step-up says whether it remembers browsers", () => {
  const doorcode = createDoorcode({ ...options, store: createMemoryStore() });
  expect(mountLogin(doorcode, { purpose: "step_up", rememberSeconds: 60 }).offer).toHaveProperty("remembers", true);
  expect(mountLogin(doorcode, { purpose: "step_up" }).offer).not.toHaveProperty("remembers");
});

test("a guard with orRemembered needs the age of a proof, and a login that remembers", () => {
  const store = createMemoryStore();
  const withLogin = createDoorcode({ ...options, store });
  const sessionsOnly = createDoorcode({ session: options.session, store });
  const recent = { provenWithinSeconds: 300, orRemembered: true };
  expect(() => requireLogin(withLogin, { orRemembered: true })).toThrow("needs provenWithinSeconds");
  expect(() => requireLogin(sessionsOnly, recent)).toThrow("needs login");
  expect(() => requireLogin(withLogin, { ...recent, by: ["passkey"] })).toThrow('add "phone" to by');
  expect(() => requireLogin(withLogin, { ...recent, by: ["passkey", "phone"] })).not.toThrow();
});
