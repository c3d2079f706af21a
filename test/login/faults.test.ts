import { appCodes, serviceCodes } from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { secondsToWait } from "../support/browser.ts";
import { type Deployment, suspended } from "../support/deployment.ts";
import { newestCode, otherPhone, password, phone, setUpLogin, strategies, wrongCode } from "../support/login-bench.ts";
import { places } from "../support/places.ts";
import { cases } from "./cases.ts";

/** A store that fails on the keys that a test names. */
function breakableStore(app: Deployment) {
  const inner = app.connect();
  const fails = { on: (_verb: keyof Store, _key: string) => false };
  const guard = (verb: keyof Store, key: string) => {
    if (fails.on(verb, key)) throw new Error(`the store is down for ${verb}`);
  };
  const store: Store = {
    async get(keys) {
      for (const key of keys) guard("get", key);
      return inner.get(keys);
    },
    async put(key, value, options) {
      guard("put", key);
      return inner.put(key, value, options);
    },
    async increment(changes) {
      for (const { key } of changes) guard("increment", key);
      return inner.increment(changes);
    },
    async lease(key, token, options) {
      guard("lease", key);
      return inner.lease(key, token, options);
    },
    async settle(key, token, value, options) {
      guard("settle", key);
      return inner.settle(key, token, value, options);
    },
  };
  return { store, fails };
}

describe.each(cases)("faults on $place.name, codes owned by $owner", ({ place, codes }) => {
  test("L19: a process that dies while it finishes, at the last attempt, leaves the login to another", async () => {
    const app = place.deploy();
    const dying = createBarrier();
    const dead = await setUpLogin(place, {
      app: suspended(app),
      codes,
      login: {
        onLogin: async () => {
          await dying.pass();
          return "nobody hears this";
        },
      },
    });
    const alive = await setUpLogin(place, { app, codes });
    // Verifications are the first service's: the second process asks it, too.
    alive.service.onConfirm = () => ({ status: 404, body: {} });
    const browser = await dead.started();
    const code = newestCode(dead.service);
    const moved = alive.open();
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
    for (let attempt = 0; attempt < 4; attempt++)
      await browser.post("/login/confirm", { code: wrongCode(dead.service) });
    const unanswered = browser.post("/login/confirm", { code });
    await dying.arrived(1);

    const waiting = moved.post("/login/confirm", { code });
    await expect.poll(() => app.clock.pending, { timeout: 10_000 }).toBeGreaterThan(0);
    await app.clock.advance(4000);
    const busy = await waiting;
    await app.clock.advance(11_000);
    const finished = await moved.post("/login/confirm", { code });
    dying.open();
    const late = await unanswered;

    expect([busy.status, busy.json.code]).toEqual([503, "transaction_busy"]);
    expect(finished.json).toMatchObject({ status: "logged_in", userId: `user of ${phone}` });
    expect([late.status, late.json.code]).toEqual([409, "login_superseded"]);
    expect((await browser.get("/account")).status).toBe(401);
  });

  test.each<[string, keyof Store, RegExp]>([
    ["before the attempt is reserved", "increment", /:attempts$/],
    ["before the failure is reserved", "increment", /:failures:/],
    ["taking the transaction", "lease", /:login:[^:]+$/],
    ["ending the number's other logins", "put", /:superseded:/],
    ["keeping the session", "put", /:session:/],
    ["completing the transaction", "settle", /:login:[^:]+$/],
  ])("L24: a store that fails %s fails closed, and the same code logs in when it is back", async (_when, verb, key) => {
    const app = place.deploy();
    const { store, fails } = breakableStore(app);
    const { started, service } = await setUpLogin(place, { app, codes, store });
    const browser = await started();
    fails.on = (failing, name) => failing === verb && key.test(name);
    const refused = await browser.post("/login/confirm", { code: newestCode(service) });
    const guarded = await browser.get("/account");
    fails.on = () => false;
    // A transaction that could not be let go of is free when its lease has run out.
    await app.passTime(15_000);
    const again = await browser.post("/login/confirm", { code: newestCode(service) });

    expect([refused.status, refused.json.code, refused.headers.get("retry-after")]).toEqual([
      503,
      "store_unavailable",
      "1",
    ]);
    expect(guarded.status).toBe(401);
    expect(again.json.status).toBe("logged_in");
  });

  test("L24: a guarded request while the store is down is 503, not 401", async () => {
    const app = place.deploy();
    const { store, fails } = breakableStore(app);
    const { loggedIn } = await setUpLogin(place, { app, codes, store });
    const browser = await loggedIn();
    fails.on = () => true;
    const down = await browser.get("/account");
    fails.on = () => false;
    expect([down.status, down.json.code, (await browser.get("/account")).status]).toEqual([
      503,
      "store_unavailable",
      200,
    ]);
  });

  test("a logout while the code is being judged is not undone by it", async () => {
    const judging = createBarrier();
    const { started, service } = await setUpLogin(place, {
      codes,
      login: {
        onLogin: async () => {
          await judging.pass();
          return "user_1";
        },
      },
    });
    const browser = await started();
    const confirming = browser.copy().post("/login/confirm", { code: newestCode(service) });
    await judging.arrived(1);
    await browser.post("/login/logout");
    judging.open();
    const superseded = await confirming;
    expect([superseded.status, superseded.json.code]).toEqual([409, "login_superseded"]);
  });

  test("a code that is right while another is being sent logs in", async () => {
    const sending = createBarrier();
    const { started, service } = await setUpLogin(place, { codes });
    const browser = await started();
    const before = newestCode(service);
    service.onCreate = async () => {
      await sending.pass();
      return undefined;
    };
    const resending = browser.copy().post("/login/resend");
    await sending.arrived(1);
    // The service's code is right until there is another; the app's own is replaced before it leaves.
    const code = service.created.at(-1)?.custom_otp ?? before;
    const confirmed = await browser.post("/login/confirm", { code });
    sending.open();

    expect(confirmed.json.status).toBe("logged_in");
    expect((await resending).json.code).toBe("no_transaction");
  });

  test.each([
    ["429", { status: 429, body: {}, headers: { "retry-after": "60" } }, 503],
    ["422", { status: 422, body: {} }, 502],
  ])("a resend that the service refuses with %s leaves the code before it right", async (_what, answer, status) => {
    const { started, service } = await setUpLogin(place, { codes });
    const browser = await started();
    const before = newestCode(service);
    service.onCreate = () => answer;
    const refused = await browser.post("/login/resend");
    const confirmed = await browser.post("/login/confirm", { code: before });
    expect([refused.status, confirmed.json.status]).toEqual([status, "logged_in"]);
  });

  test("of two sends that overlap, the newest code is right, whatever becomes of the older", async () => {
    const slow = createBarrier();
    const { started, service } = await setUpLogin(place, { codes });
    const browser = await started();
    service.onCreate = async ({ id }) => {
      if (id !== "ver_2") return undefined;
      await slow.pass();
      return { status: 422, body: {} };
    };
    const older = browser.copy().post("/login/resend");
    await slow.arrived(1);
    await browser.post("/login/resend");
    const newest = newestCode(service);
    slow.open();
    const refused = await older;
    const confirmed = await browser.post("/login/confirm", { code: newest });

    expect([refused.json.code, confirmed.json.status]).toEqual(["send_failed", "logged_in"]);
    expect(service.confirmations.every(({ id }) => id === "ver_3")).toBe(true);
  });

  test("no code is sent that could not be tried any more", async () => {
    const { started, service } = await setUpLogin(place, { codes });
    const browser = await started();
    for (let attempt = 0; attempt < 5; attempt++) await browser.post("/login/confirm", { code: wrongCode(service) });
    const refused = await browser.post("/login/resend");
    expect(refused.json.code).toBe("attempts_exhausted");
    expect(service.created).toHaveLength(1);
  });

  test("a wanted channel is tried first, and one that is not offered is refused", async () => {
    const offered = codes === strategies[0]?.codes ? serviceCodes : appCodes;
    const { open, started, service } = await setUpLogin(place, {
      codes: offered({ template: "login", channels: ["SMS", "WHATSAPP", "VOICE"] }),
    });
    const refused = await open().post("/login/start", { phone, channel: "PIGEON" });
    const browser = await started({ phone, channel: "WHATSAPP" });
    await browser.post("/login/resend", { channel: "VOICE" });

    expect(refused.json.code).toBe("channel_not_allowed");
    expect(service.created.map(({ channels }) => channels.map((entry) => entry.channel_name))).toEqual([
      ["WHATSAPP", "SMS", "VOICE"],
      ["VOICE", "SMS", "WHATSAPP"],
    ]);
    expect(service.created[0]?.channels.map(({ priority }) => priority)).toEqual([1, 2, 3]);
  });

  test("a login that was ended by another of its number sends no more codes", async () => {
    const { started, service, clock } = await setUpLogin(place, { codes });
    const other = await started();
    await clock.advance(1000);
    const browser = await started();
    await clock.advance(1000);
    await browser.post("/login/confirm", { code: newestCode(service) });
    const sent = service.created.length;

    expect((await other.post("/login/resend")).json.code).toBe("no_transaction");
    expect((await other.get("/login/state")).json.status).toBe("none");
    expect(service.created).toHaveLength(sent);
  });

  test("the last start of a browser wins: the cookie before it opens nothing", async () => {
    const { started, service } = await setUpLogin(place, { codes });
    const browser = await started();
    const earlier = browser.copy();
    const code = newestCode(service);
    await browser.post("/login/start", { phone: otherPhone });

    expect((await earlier.post("/login/confirm", { code })).json.code).toBe("no_transaction");
    expect((await earlier.post("/login/resend")).json.code).toBe("no_transaction");
  });

  test("made-up transactions leave nothing in the store", async () => {
    const app = place.deploy();
    const { open, started } = await setUpLogin(place, { app, codes });
    const [cookie = ""] = (await started()).cookies.keys();
    const before = await app.countEntries();
    for (let guess = 0; guess < 10; guess++) {
      const stranger = open();
      stranger.cookies.set(cookie, `made-up-${guess}`);
      await stranger.post("/login/confirm", { code: "000000" });
    }
    expect(before).toBeGreaterThan(0);
    expect(await app.countEntries()).toBe(before);
  });

  test("starts that are refused leave nothing in the store", async () => {
    const app = place.deploy();
    const limits = { cooldownSeconds: 30, sendsPerPhone: 1 };
    const { open, started } = await setUpLogin(place, { app, codes, login: { limits } });
    await started();
    const before = await app.countEntries();
    const refused = new Set<unknown>();
    for (let start = 0; start < 10; start++) refused.add((await open().post("/login/start", { phone })).json.code);

    expect([...refused]).toEqual(["send_limit_reached"]);
    expect(await app.countEntries()).toBe(before);
  });

  test("a transaction that cannot be written uses up nothing of the number's budget", async () => {
    const app = place.deploy();
    const { store, fails } = breakableStore(app);
    const limits = { cooldownSeconds: 30, sendsPerPhone: 1 };
    const { open, service } = await setUpLogin(place, { app, codes, store, login: { limits } });
    fails.on = (verb) => verb === "put";
    const failed = await open().post("/login/start", { phone });
    fails.on = () => false;
    const again = await open().post("/login/start", { phone });

    expect([failed.status, failed.json.code, again.status]).toEqual([503, "store_unavailable", 200]);
    expect(service.created).toHaveLength(1);
  });

  test("a failing app keeps a code from being sent that nobody could use", async () => {
    const users = { down: false };
    const { loggedIn, service } = await setUpLogin(place, {
      codes,
      options: {
        session: {
          password,
          loadUser: () => {
            if (users.down) throw new Error("the users are down");
            return undefined;
          },
        },
      },
    });
    const browser = await loggedIn();
    const sent = service.created.length;
    users.down = true;
    const failed = await browser.post("/login/start", { phone });
    expect([failed.status, service.created.length]).toEqual([500, sent]);
  });
});

describe.each(places)("answers of the app on $name", (place) => {
  test("null refuses like undefined: in onLogin, and as a user that is gone", async () => {
    const refusing = await setUpLogin(place, { login: { onLogin: () => null } });
    const refused = await (await refusing.started()).post("/login/confirm", { code: refusing.service.code });
    const users = new Map([[`user of ${phone}`, { name: "Ada" }]]);
    const loadUser = (id: string) => users.get(id) ?? null;
    const { loggedIn } = await setUpLogin(place, { options: { session: { password, loadUser: loadUser as never } } });
    const browser = await loggedIn();
    const before = await browser.get("/account");
    users.clear();

    expect(refused.json.code).toBe("login_refused");
    expect([before.status, (await browser.get("/account")).status]).toEqual([200, 401]);
  });

  test("an id that is no text is a fault of the app, told to its error handler", async () => {
    const { started, service } = await setUpLogin(place, { login: { onLogin: () => 42 as never } });
    const browser = await started();
    const fault = await browser.post("/login/confirm", { code: service.code });
    expect(fault.status).toBe(500);
    expect((await browser.get("/login/state")).json.status).toBe("code_sent");
  });

  test("a 400 without a known code means that the one-time code is wrong", async () => {
    const { started, service } = await setUpLogin(place);
    const browser = await started();
    service.onConfirm = () => ({ status: 400, body: { success: false, message: "Sorry, no." } });
    const answer = await browser.post("/login/confirm", { code: service.code });
    expect(answer.json).toMatchObject({ code: "code_rejected", attemptsLeft: 4 });
  });

  test("an answer without an id of the verification is a failed send that says so", async () => {
    const { open, service, events } = await setUpLogin(place);
    service.onCreate = () => ({ status: 200, body: { error_code: "" } });
    const answer = await open().post("/login/start", { phone });
    expect(answer.json.code).toBe("send_failed");
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "login.send_failed",
        error: expect.objectContaining({ code: "service_unreadable" }),
      }),
    );
  });

  test("a code given back does not shorten the wait for the next", async () => {
    const { open, service, clock } = await setUpLogin(place, { login: { limits: { cooldownSeconds: 30 } } });
    service.onCreate = () => ({ status: 422, body: {} });
    await open().post("/login/start", { phone });
    service.onCreate = () => undefined;
    await clock.advance(29_000);
    const first = await open().post("/login/start", { phone });
    await clock.advance(2000);
    const second = await open().post("/login/start", { phone });
    expect([first.status, second.json.code]).toEqual([200, "cooldown"]);
    expect(secondsToWait(second)).toBeCloseTo(28, -1);
  });
});
