import { createDoorcode } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { outcomeOf } from "../support/browser.ts";
import { type Deployment, deployOn } from "../support/deployment.ts";
import { createFailingStore } from "../support/failing-store.ts";
import {
  newestCode,
  otherPhone,
  password,
  phone,
  serviceOwned,
  setUpLoggedIn,
  setUpLogin,
  setUpStarted,
  tryWrongCodes,
  wrongCode,
} from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";

describe.each(inMemory)("onLogin after the code was approved, on $name, codes of $owner", (platform) => {
  test("L19: after onLogin failed, the same code completes the login once, without asking the service, even as the last attempt", async () => {
    const calls: string[] = [];
    const { browser, service } = await setUpStarted(platform, {
      login: {
        onLogin: ({ loginId }) => {
          calls.push(loginId);
          if (calls.length === 1) throw new Error("the database was down");
          return "user_1";
        },
      },
    });
    await tryWrongCodes(browser, service, 4);
    const asked = service.confirmations.length;
    const unfinished = await browser.post("/login/confirm", { code: newestCode(service) });
    const state = await browser.get("/login/state");
    const finished = await browser.post("/login/confirm", { code: newestCode(service) });
    const beyond = await browser.copy().post("/login/confirm", { code: newestCode(service) });

    expect([unfinished.status, unfinished.json.code]).toEqual([503, "login_unfinished"]);
    expect(unfinished.headers.get("retry-after")).toBe("1");
    expect(state.json).toMatchObject({ status: "code_sent", attemptsLeft: 1 });
    expect(finished.json).toMatchObject({ status: "logged_in", userId: "user_1" });
    expect(beyond.json.code).toBe("no_transaction");
    expect(new Set(calls).size).toBe(1);
    expect(service.confirmations.length - asked).toBe(platform.owner === "the service" ? 1 : 0);
  });

  test("L19: an onLogin that never settles is abandoned after ten seconds, and its signal aborts", async () => {
    const running = createBarrier();
    const signals: AbortSignal[] = [];
    const { browser, service, clock } = await setUpStarted(platform, {
      login: {
        onLogin: async (_proof, { signal }) => {
          signals.push(signal);
          if (signals.length === 1) await running.pass();
          return "user_1";
        },
      },
    });
    const hanging = browser.post("/login/confirm", { code: newestCode(service) });
    await running.arrived(1);
    await clock.advance(10_000);
    const unfinished = await hanging;
    const finished = await browser.post("/login/confirm", { code: newestCode(service) });
    running.open();

    expect(unfinished.json.code).toBe("login_unfinished");
    expect(signals[0]?.aborted).toBe(true);
    expect(finished.json.status).toBe("logged_in");
  });
});

describe.each(inMemory)("what callbacks return on $name, codes of $owner", (platform) => {
  test.each([
    { callback: "onLogin", mount: "/login", answers: [42, ""] },
    { callback: "onSuspicion", mount: "/login", answers: [undefined, null, "yes"] },
    { callback: "onLink", mount: "/link", answers: ["somebody else", 42, ""] },
  ])("$callback returning $answers is an error of the app, and the login stays open", async (given) => {
    const { callback, mount, answers } = given;
    for (const answer of answers) {
      const login = await setUpLogin(platform, { account: true, login: { [callback]: () => answer } });
      const browser = mount === "/link" ? await login.loggedIn() : login.open();
      await browser.post(`${mount}/start`, { phone: otherPhone });
      const fault = await browser.post(`${mount}/confirm`, { code: newestCode(login.service) });

      expect([fault.status, (await browser.get(`${mount}/state`)).json.status]).toEqual([500, "code_sent"]);
      expect(login.events.find(({ type }) => type === "login.unfinished")).toMatchObject({
        error: { message: expect.stringContaining(`login.${callback} must return`) },
      });
      // Only the first login of a link has asked `onLogin`.
      expect(login.logins).toHaveLength(mount === "/link" ? 1 : 0);
    }
  });
});

const { codes } = serviceOwned;

describe.each(inMemory)("the approval of a code, on $name", (platform) => {
  test.each([
    { how: "does not arrive", carriedOut: false },
    { how: "loses its answer", carriedOut: true },
  ])("L36: when its write $how, the attempt stays used: five codes are evaluated at most", async ({ carriedOut }) => {
    const app = platform.deploy();
    const failing = createFailingStore(app);
    const { browser, service } = await setUpStarted(platform, { app, store: failing.store, codes });
    failing.failOn(({ what }) => what === "put approved", carriedOut);
    const unknown = await browser.post("/login/confirm", { code: service.code });
    await app.atRest();
    failing.repair();
    const { json: state } = await browser.get("/login/state");
    const guesses = (await tryWrongCodes(browser, service, 6)).map(outcomeOf);

    expect([outcomeOf(unknown), state.attemptsLeft]).toEqual(["store_unavailable", 4]);
    expect(guesses).toEqual([...Array(4).fill("code_rejected"), "attempts_exhausted", "attempts_exhausted"]);
    // A code that is compared with the approval is not evaluated by the service.
    expect(service.confirmations.length).toBe(carriedOut ? 1 : 5);
  });

  test("L40: after a double click only the approved code is right: a wrong code beside it logs nobody in", async () => {
    let calls = 0;
    const onLogin = () => {
      calls++;
      if (calls === 1) throw new Error("the first finish fails");
      return `user of ${phone}`;
    };
    const { browser, service, events } = await setUpStarted(platform, { codes, login: { onLogin } });
    const answered = { right: createBarrier(), wrong: createBarrier() };
    service.onConfirm = async ({ otp_code }) => {
      await (otp_code === service.code ? answered.right : answered.wrong).pass();
      return undefined;
    };
    const thief = browser.copy();
    const right = browser.post("/login/confirm", { code: service.code });
    const wrong = thief.post("/login/confirm", { code: wrongCode(service) });
    await Promise.all([answered.right.arrived(1), answered.wrong.arrived(1)]);
    answered.right.open();
    const unfinished = await right;
    answered.wrong.open();
    const refused = await wrong;
    const again = await browser.post("/login/confirm", { code: service.code });

    expect([outcomeOf(unfinished), outcomeOf(refused), outcomeOf(again)]).toEqual([
      "login_unfinished",
      "code_rejected",
      "logged_in",
    ]);
    expect([calls, (await thief.get("/account")).status]).toEqual([2, 401]);
    expect(events.filter(({ type }) => type === "login.completed")).toHaveLength(1);
  });
});

/** Returns how many sessions the user of the tests has, as another process of the app sees them. */
async function countSessions({ name, clock, connect }: Deployment): Promise<number> {
  const { session } = createDoorcode({ name, clock, store: connect(), session: { password } });
  return (await session.list(`user of ${phone}`)).length;
}

describe.each(inMemory)("a session that was started for a login on $name, codes of $owner", (platform) => {
  test.each([
    { what: "mark the login as done", call: "settle transaction" },
    { what: "end the number's other logins", call: "put superseded" },
  ])("ends again if the store cannot $what, and the same code logs in later", async ({ call }) => {
    const app = deployOn(platform);
    const failing = createFailingStore(app);
    const { browser, service, events } = await setUpStarted(platform, { app, store: failing.store });
    const code = newestCode(service);
    failing.failOn(({ what }) => what === call);
    const failed = await browser.post("/login/confirm", { code });
    const left = await countSessions(app);
    failing.repair();
    await app.passTime(15_000);
    const again = await browser.post("/login/confirm", { code });

    expect([failed.status, failed.json.code, failed.headers.getSetCookie()]).toEqual([503, "store_unavailable", []]);
    expect(left).toBe(0);
    expect([again.json.status, await countSessions(app)]).toEqual(["logged_in", 1]);
    expect(events.filter(({ type }) => type === "login.completed")).toHaveLength(1);
  });

  test("is not there to end if the app refused the login: the failure of the store is the answer", async () => {
    const app = deployOn(platform);
    const failing = createFailingStore(app);
    const login = { onLogin: () => undefined };
    const { browser, service } = await setUpStarted(platform, { app, store: failing.store, login });
    const code = newestCode(service);
    failing.failOn(({ what }) => what === "settle transaction");
    const failed = await browser.post("/login/confirm", { code });
    failing.repair();
    await app.passTime(15_000);
    const again = await browser.post("/login/confirm", { code });

    expect([failed.json.code, again.json.code]).toEqual(["store_unavailable", "login_refused"]);
  });

  test("stays if the store cannot end the session that the browser had before", async () => {
    const app = deployOn(platform);
    const failing = createFailingStore(app);
    const { browser, service, clock, events } = await setUpLoggedIn(platform, { app, store: failing.store });
    await clock.advance(1);
    await browser.post("/login/start", { phone });
    failing.failOn(({ what }) => what === "delete session");
    const confirmed = await browser.post("/login/confirm", { code: newestCode(service) });
    failing.repair();

    expect([confirmed.status, (await browser.get("/account")).status]).toEqual([200, 200]);
    expect(events.filter(({ type }) => type === "login.completed")).toHaveLength(2);
  });
});
