import { type CodeStrategyFactory, createDoorcode, type Sessions } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import type { Browser } from "../support/browser.ts";
import { type Deployment, deployOn } from "../support/deployment.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import {
  newestCode,
  otherPhone,
  password,
  phone,
  serviceOwned,
  setUpLogin,
  wrongCode,
} from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";

const userId = `user of ${phone}`;

/** The sessions of the app, as another of its processes has them. */
function sessionsOf({ name, clock, connect }: Deployment): Sessions<unknown> {
  return createDoorcode({ name, clock, store: connect(), session: { password } }).session;
}

/** Ends every session of the user, as another process of the app does. */
function endAll(app: Deployment): Promise<void> {
  return sessionsOf(app).endAll(userId);
}

/** The browser's cookies without those of transactions: a logout from another tab, or with a stolen cookie. */
function elsewhere(browser: Browser): Browser {
  const copy = browser.copy();
  for (const name of copy.cookies.keys()) if (name.endsWith("transaction")) copy.cookies.delete(name);
  return copy;
}

const endings = [
  { how: "a logout", end: (browser: Browser, _app: Deployment) => elsewhere(browser).post("/login/logout") },
  { how: "endAll", end: (_browser: Browser, app: Deployment) => endAll(app) },
];

describe.each(inMemory)("links and step-ups under way on $name, codes of $owner", (platform) => {
  /** Starts an app whose account has a number that can be changed. */
  async function setUpAccount(codes?: CodeStrategyFactory) {
    const app = deployOn(platform);
    const account = { phone };
    const linking = createBarrier();
    const started = createBarrier();
    /** Where a confirmation waits for the test. */
    const waits = { inOnLink: false, afterStart: false };
    const linked: string[] = [];
    const store = interceptStore(app.connect(), async ({ what }, ask) => {
      const answer = await ask();
      if (waits.afterStart && what === "put session") await started.pass();
      return answer;
    });
    const login = await setUpLogin(platform, {
      app,
      store,
      account: true,
      ...(codes && { codes }),
      login: {
        onLink: async (link) => {
          linked.push(link.phone);
          if (waits.inOnLink) await linking.pass();
          return link.userId;
        },
        phoneOf: () => account.phone,
      },
    });
    /** Logs in, some time ago: a completed login supersedes those of its number that began before it. */
    async function loggedIn() {
      const browser = await login.loggedIn();
      await login.clock.advance(1000);
      return browser;
    }
    return { ...login, loggedIn, linked, app, account, waits, linking, newSession: started };
  }

  test.each(endings)("L31: $how while onLink runs ends the link: no session is started", async ({ end }) => {
    const { app, loggedIn, service, waits, linking } = await setUpAccount();
    const browser = await loggedIn();
    await browser.post("/link/start", { phone: otherPhone });
    waits.inOnLink = true;
    const confirming = browser.copy().post("/link/confirm", { code: newestCode(service) });
    await linking.arrived(1);
    await end(browser, app);
    linking.open();
    const answer = await confirming;

    expect([answer.status, answer.json.code, answer.headers.getSetCookie()]).toEqual([409, "session_changed", []]);
  });

  test.each(endings)("L31: $how after the new session was started ends that session too", async ({ end }) => {
    const { app, loggedIn, service, waits, newSession } = await setUpAccount();
    const browser = await loggedIn();
    await browser.post("/step-up/start");
    waits.afterStart = true;
    const confirming = browser.copy().post("/step-up/confirm", { code: newestCode(service) });
    await newSession.arrived(1);
    await end(browser, app);
    newSession.open();
    const answer = await confirming;

    expect([answer.status, answer.json.code]).toEqual([409, "session_changed"]);
    expect(await sessionsOf(app).list(userId)).toEqual([]);
  });

  test("L31: a logout while the code is checked ends the link: onLink is not asked", async () => {
    const { loggedIn, service, linked } = await setUpAccount(serviceOwned.codes);
    const checking = createBarrier();
    const browser = await loggedIn();
    await browser.post("/link/start", { phone: otherPhone });
    service.onConfirm = checking.hold(undefined);
    const confirming = browser.copy().post("/link/confirm", { code: newestCode(service) });
    await checking.arrived(1);
    await elsewhere(browser).post("/login/logout");
    checking.open();
    const answer = await confirming;

    expect([answer.json.code, linked]).toEqual(["session_changed", []]);
  });

  test("L31: a step-up proves the number that the account has when it ends, not the one it had before", async () => {
    const { loggedIn, service, clock, account } = await setUpAccount();
    const browser = await loggedIn();
    await clock.advance(301_000);
    await browser.post("/step-up/start");
    const sent = service.created.length;
    account.phone = otherPhone;
    const resent = await browser.post("/step-up/resend");
    const confirmed = await browser.post("/step-up/confirm", { code: newestCode(service) });

    expect([resent.json.code, confirmed.json.code]).toEqual(["session_changed", "session_changed"]);
    expect(service.created).toHaveLength(sent);
    expect((await browser.get("/transfer")).status).toBe(403);
  });

  test.each([
    { purpose: "link", path: "/link" },
    { purpose: "step-up", path: "/step-up" },
  ])("L31: the code of a $purpose whose session has ended is not checked, and uses no attempt", async ({ path }) => {
    const { loggedIn, service, events } = await setUpAccount(serviceOwned.codes);
    const browser = await loggedIn();
    await browser.post(`${path}/start`, { phone: otherPhone });
    const asked = service.confirmations.length;
    const checked = events.filter(({ type }) => type === "login.code_checked").length;
    const stranger = browser.copy();
    for (const name of stranger.cookies.keys()) if (name.endsWith("session")) stranger.cookies.delete(name);
    const answers = [];
    for (const code of [newestCode(service), ...Array(6).fill(wrongCode(service))]) {
      answers.push(await stranger.post(`${path}/confirm`, { code }));
    }
    const state = await browser.get(`${path}/state`);
    const own = await browser.post(`${path}/confirm`, { code: newestCode(service) });

    expect(answers.map(({ json }) => json.code)).toEqual(Array(7).fill("session_changed"));
    expect(events.filter(({ type }) => type === "login.code_checked").length).toBe(checked + 1);
    expect([service.confirmations.length, state.json.attemptsLeft]).toEqual([asked + 1, 5]);
    expect(own.json.status).toBe("logged_in");
  });

  test("a link is shown, resent and confirmed only for the session that started it, not for another of its user", async () => {
    const { loggedIn, service } = await setUpAccount();
    const browser = await loggedIn();
    await browser.post("/link/start", { phone: otherPhone });
    const code = newestCode(service);
    const other = await loggedIn();
    for (const [name, value] of browser.cookies) if (name.endsWith("transaction")) other.cookies.set(name, value);
    const sent = service.created.length;
    const state = await other.get("/link/state");
    const refused = [await other.post("/link/resend"), await other.post("/link/confirm", { code })];

    expect(state.json).toEqual({ status: "logged_in", version: expect.any(String), userId });
    expect(refused.map(({ json }) => json.code)).toEqual(["session_changed", "session_changed"]);
    expect(service.created).toHaveLength(sent);
    expect((await browser.get("/link/state")).json).toMatchObject({ status: "code_sent", attemptsLeft: 5 });
  });

  test("a start goes on with a link only for the session that started it", async () => {
    const { loggedIn, service } = await setUpAccount();
    const browser = await loggedIn();
    const first = await browser.post("/link/start", { phone: otherPhone });
    const other = await loggedIn();
    for (const [name, value] of browser.cookies) if (name.endsWith("transaction")) other.cookies.set(name, value);
    const sent = service.created.length;
    const own = await browser.post("/link/start", { phone: otherPhone });
    const foreign = await other.post("/link/start", { phone: otherPhone });

    expect([own.json.transaction, foreign.json.transaction === first.json.transaction]).toEqual([
      first.json.transaction,
      false,
    ]);
    expect(service.created.length - sent).toBe(1);
  });

  test("a link gives its session no later end than that of the session before", async () => {
    const session = { password, lifetimeSeconds: 3600 };
    const { loggedIn, service, clock } = await setUpLogin(platform, { account: true, options: { session } });
    const browser = await loggedIn();
    await clock.advance(600_000);
    await browser.post("/link/start", { phone: otherPhone });
    const linked = await browser.post("/link/confirm", { code: newestCode(service) });
    await clock.advance(2_999_000);
    const before = await browser.get("/account");
    await clock.advance(1000);
    const after = await browser.get("/account");
    expect([linked.json.status, before.status, after.status]).toEqual(["logged_in", 200, 401]);
  });

  test("a login that was started with a session goes on after that session has ended", async () => {
    const { app, loggedIn, service } = await setUpAccount();
    const browser = await loggedIn();
    await browser.post("/login/start", { phone: otherPhone });
    await endAll(app);
    const confirmed = await browser.post("/login/confirm", { code: newestCode(service) });
    expect(confirmed.json).toMatchObject({ status: "logged_in", userId: `user of ${otherPhone}` });
  });

  test("a logout ends what is under way for every purpose", async () => {
    const { loggedIn, service } = await setUpAccount();
    const browser = await loggedIn();
    const codes: Record<string, string> = {};
    for (const mount of ["/login", "/link", "/step-up"]) {
      await browser.post(`${mount}/start`, { phone: mount === "/step-up" ? phone : otherPhone });
      codes[mount] = newestCode(service);
    }
    const copy = browser.copy();
    await browser.post("/login/logout");
    const answers = Object.entries(codes).map(([mount, code]) => copy.post(`${mount}/confirm`, { code }));

    expect([...browser.cookies.keys()]).toEqual([expect.stringMatching(/-device$/)]);
    expect((await Promise.all(answers)).map(({ json }) => json.code)).toEqual(Array(3).fill("no_transaction"));
  });
});
