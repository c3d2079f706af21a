import { createDoorcode, type DoorcodeOptions } from "@doorcode/core";
import { createLoginGuard } from "@doorcode/core/adapter";
import type { Clock } from "@doorcode/core/store";
import { createManualClock } from "@doorcode/core/testing";
import { sealData, unsealData } from "iron-session";
import { describe, expect, test } from "vitest";
import { derivePasswords } from "../../packages/core/src/util/keys.ts";
import { createBarrier } from "../support/barrier.ts";
import { createDeployment } from "../support/deployment.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import { newestCode, otherPhone, password, phone, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { inMemory, openPlatforms, openStores } from "../support/platforms.ts";
import type { TestedStore } from "../support/tested-store.ts";

const everyStore = await openPlatforms();
const stores = await openStores();

/** Returns a request of a browser that has the cookie of a session. */
function requestWith(session: { readonly setCookie: string } | undefined) {
  return { headers: { host: "localhost", cookie: session?.setCookie.split(";")[0] } };
}

/** The time after which a store remembers nothing of a login, of its user's sessions, or of its number's failures. */
const rememberedSeconds = 34_560_000 + 60;

describe.each(inMemory)("sessions on $name, codes of $owner", (platform) => {
  test("L20: a login starts a new session and ends the browser's old one", async () => {
    const { loggedIn, service, clock } = await setUpLogin(platform);
    const browser = await loggedIn();
    const old = browser.copy();
    await clock.advance(1000);
    await browser.post("/login/start", { phone });
    await browser.post("/login/confirm", { code: newestCode(service) });

    expect((await browser.get("/account")).status).toBe(200);
    expect((await old.get("/account")).status).toBe(401);
  });

  test.each([0, 1000])(
    "L20: a login %i ms later ends the others of its number, and none of another one",
    async (pause) => {
      const { started, service, clock } = await setUpLogin(platform);
      const other = await started();
      const codeOfOther = newestCode(service);
      const stranger = await started({ phone: otherPhone });
      const codeOfStranger = newestCode(service);
      await clock.advance(pause);
      const browser = await started();
      await clock.advance(pause);
      await browser.post("/login/confirm", { code: newestCode(service) });
      const ended = await other.post("/login/confirm", { code: codeOfOther });
      const untouched = await stranger.post("/login/confirm", { code: codeOfStranger });

      expect(ended.json.code).toBe("no_transaction");
      expect(untouched.json.status).toBe("logged_in");
    },
  );

  test("a login stands also if the store fails at ending the browser's old session", async () => {
    const app = platform.deploy();
    const failing = createFailingStore(app);
    const { loggedIn, service, clock } = await setUpLogin(platform, { app, store: failing.store });
    const browser = await loggedIn();
    await clock.advance(1000);
    await browser.post("/login/start", { phone });
    failing.failOn(({ what }) => what === "delete session");
    const confirmed = await browser.post("/login/confirm", { code: newestCode(service) });
    expect([confirmed.json.status, (await browser.get("/account")).status]).toEqual(["logged_in", 200]);
  });

  test("L20: a login that an attacker planted in a browser does not log the attacker in", async () => {
    const { open, started, service } = await setUpLogin(platform);
    const attacker = await started({ phone: otherPhone });
    const victim = open();
    for (const [name, value] of attacker.cookies) victim.cookies.set(name, value);
    await victim.post("/login/start", { phone });
    const confirmed = await victim.post("/login/confirm", { code: newestCode(service) });

    expect(confirmed.json.userId).toBe(`user of ${phone}`);
    expect((await attacker.get("/account")).status).toBe(401);
    expect((await attacker.get("/login/state")).json.status).toBe("none");
  });

  test("L30: with a leaked password nobody gets another user's pages, a newer proof, or back in after endAll", async () => {
    const app = platform.deploy();
    const { loggedIn, clock } = await setUpLogin(platform, { app, account: true });
    const browser = await loggedIn();
    const [[name = "", sealed = ""] = []] = browser.cookies;
    const [leaked = ""] = derivePasswords([password], "session");
    const own = await unsealData<object>(sealed, { password: leaked, ttl: 0 });
    const forged = (content: object) => async (path: string) => {
      const thief = browser.copy();
      thief.cookies.set(name, await sealData({ ...own, ...content }, { password: leaked, ttl: 0 }));
      return (await thief.get(path)).status;
    };
    await clock.advance(301_000);
    const asAdmin = await forged({ userId: "admin" })("/account");
    const asUser = await forged({})("/account");
    const proven = await forged({ provenAt: clock.now(), startedAt: clock.now() })("/transfer");
    const { session } = createDoorcode({ name: app.name, clock, store: app.connect(), session: { password } });
    await session.endAll(`user of ${phone}`);
    const afterwards = await forged({ startedAt: clock.now() + 1000 })("/account");

    expect([asAdmin, asUser, proven, afterwards]).toEqual([401, 200, 403, 401]);
  });

  test("a session ends after its lifetime, even if the browser keeps its cookie", async () => {
    const { loggedIn, clock } = await setUpLogin(platform, {
      options: { session: { password, lifetimeSeconds: 3600 } },
    });
    const browser = await loggedIn();
    await clock.advance(3_599_000);
    const inTime = await browser.get("/account");
    await clock.advance(1000);
    const late = await browser.get("/account");
    expect([inTime.status, late.status]).toEqual([200, 401]);
  });
});

describe.each(everyStore(0))("the entries of a login, in $name", (platform) => {
  test("every entry that a login writes expires", async () => {
    const app = platform.deploy();
    const { loggedIn, service } = await setUpLogin(platform, { app });
    const browser = await loggedIn();
    await browser.post("/login/start", { phone: otherPhone });
    await browser.post("/login/resend");
    await browser.post("/login/confirm", { code: wrongCode(service) });
    const kept = await app.countEntries();
    await app.passTime(rememberedSeconds * 1000);

    expect(kept).toBeGreaterThan(5);
    expect(await app.countEntries()).toBe(0);
  });
});

/** The longest lifetime of a session that the options allow. */
const longestSeconds = 34_560_000;

/** Creates processes of one app that uses sessions only. */
function createKit(store?: TestedStore) {
  const app = createDeployment(store);
  const { name } = app;
  const kit = <User>(session: NonNullable<DoorcodeOptions<User>["session"]>, clock: Clock = app.clock) =>
    createDoorcode<User>({ name, clock, store: app.connect(), session });
  return { clock: app.clock, kit };
}

describe.each(stores)("the sessions of a user, stored in $name", (store) => {
  test("endAll ends every session of a user so far, and none of another user", async () => {
    const { kit } = createKit(store);
    const doorcode = kit({ password });
    const [first, second, other] = await Promise.all(
      ["user_1", "user_1", "user_2"].map((userId) => doorcode.session.start({ userId })),
    );
    await doorcode.session.endAll("user_1");
    // At the same instant: the order decides, not a clock.
    const later = await doorcode.session.start({ userId: "user_1" });
    const alive = [first, second, other, later].map((session) => doorcode.session.current(requestWith(session)));
    expect((await Promise.all(alive)).map((login) => login?.userId)).toEqual([
      undefined,
      undefined,
      "user_2",
      "user_1",
    ]);
  });

  test("a session with the longest lifetime is listed until it ends, also if its user began 400 days before", async () => {
    const { clock, kit } = createKit(store);
    const { session } = kit({ password, lifetimeSeconds: longestSeconds });
    const list = async () => (await session.list("user_1")).map(({ sessionId }) => sessionId);
    const first = await session.start({ userId: "user_1" });
    await clock.advance((longestSeconds - 30) * 1000);
    const firstAtItsEnd = await list();
    const second = await session.start({ userId: "user_1" });
    await clock.advance((longestSeconds - 30) * 1000);

    expect([firstAtItsEnd, await list()]).toEqual([[first.sessionId], [second.sessionId]]);
  });

  test("a session that began after endAll is still valid when the store has forgotten endAll", async () => {
    const { clock, kit } = createKit(store);
    const { session } = kit({ password, lifetimeSeconds: 3600 });
    await session.endAll("user_1");
    await clock.advance((longestSeconds - 600) * 1000);
    const started = await session.start({ userId: "user_1" });
    await clock.advance(1_200_000);
    expect(await session.current(requestWith(started))).toMatchObject({ userId: "user_1" });
  });
});

describe("sessions without a login", () => {
  test("beyond 1,000 sessions of a user the oldest one ends, so that none is missing in the list", async () => {
    const { kit } = createKit();
    const { session } = kit({ password });
    const [oldest, second] = [await session.start({ userId: "user_1" }), await session.start({ userId: "user_1" })];
    await Promise.all(Array.from({ length: 999 }, () => session.start({ userId: "user_1" })));

    expect(await session.current(requestWith(oldest))).toBeUndefined();
    expect(await session.current(requestWith(second))).toMatchObject({ userId: "user_1" });
    expect(await session.list("user_1")).toHaveLength(1000);
  });

  test("L30: endAll ends what began before it on a clock that is ahead, and nothing that begins after it", async () => {
    const { clock, kit } = createKit();
    const shifted = (milliseconds: number): Clock => ({ ...clock, now: () => clock.now() + milliseconds });
    const [ahead, behind] = [kit({ password }, shifted(2000)), kit({ password }, shifted(-2000))];
    const before = await ahead.session.start({ userId: "user_1" });
    await behind.session.endAll("user_1");
    const after = await behind.session.start({ userId: "user_1" });

    expect(await ahead.session.current(requestWith(before))).toBeUndefined();
    expect(await ahead.session.current(requestWith(after))).toMatchObject({ userId: "user_1" });
  });

  test("a session ends when it was idle for too long, and each use within a minute's precision keeps it", async () => {
    const { clock, kit } = createKit();
    const { session } = kit({ password, idleSeconds: 600, lifetimeSeconds: 3600 });
    const [used, idle] = [await session.start({ userId: "user_1" }), await session.start({ userId: "user_1" })];
    for (let elapsed = 0; elapsed < 1800; elapsed += 300) {
      await clock.advance(300_000);
      expect(await session.current(requestWith(used))).toMatchObject({ userId: "user_1" });
    }
    await clock.advance(599_000);
    const inTime = await session.list("user_1");
    await clock.advance(1000);

    expect(inTime.map(({ sessionId }) => sessionId)).toEqual([used.sessionId]);
    expect(await session.current(requestWith(used))).toBeUndefined();
    expect(await session.current(requestWith(idle))).toBeUndefined();
  });

  test("a session ends when it was idle for too long, also after its clock was set back by an hour", async () => {
    const { clock, kit } = createKit();
    const options = { password, idleSeconds: 600 };
    const setBack = kit(options, { ...clock, now: () => clock.now() - 3_600_000 });
    const request = requestWith(await kit(options).session.start({ userId: "user_1" }));
    expect(await setBack.session.current(request)).toMatchObject({ userId: "user_1" });
    await clock.advance(600_000);
    expect(await setBack.session.current(request)).toBeUndefined();
  });

  test.each(["put session", "put session-listed"])(
    "a session whose start got no answer to %s is not listed",
    async (what) => {
      const app = createDeployment();
      const failing = createFailingStore(app);
      const options = { name: app.name, clock: app.clock, store: failing.store, session: { password } };
      const { session } = createDoorcode(options);
      failing.failOn((call) => call.what === what, true);
      await expect(session.start({ userId: "user_1" })).rejects.toMatchObject({ code: "store_unavailable" });
      failing.repair();
      expect(await session.list("user_1")).toEqual([]);
    },
  );

  test("a session is read also when its use cannot be noted", async () => {
    const app = createDeployment();
    const readOnly = interceptStore(app.connect(), ({ what }, ask) => {
      if (what === "put session-use") throw new Error("disk full");
      return ask();
    });
    const { session } = createDoorcode({ name: app.name, clock: app.clock, store: readOnly, session: { password } });
    const request = requestWith(await session.start({ userId: "user_1" }));
    await app.clock.advance(60_000);
    expect(await session.current(request)).toMatchObject({ userId: "user_1" });
  });

  test("a use that is noted late does not bring back a session that has ended", async () => {
    const app = createDeployment();
    const noting = createBarrier();
    const slow = interceptStore(app.connect(), async ({ what }, ask) => {
      if (what === "put session-use") await noting.pass();
      return ask();
    });
    const { session } = createDoorcode({ name: app.name, clock: app.clock, store: slow, session: { password } });
    const request = requestWith(await session.start({ userId: "user_1" }));
    await app.clock.advance(60_000);
    const using = session.current(request);
    await noting.arrived(1);
    await session.end(request);
    noting.open();
    await using;
    expect(await session.current(request)).toBeUndefined();
  });

  test("the end of a session notes no use of it", async () => {
    const app = createDeployment();
    const written: string[] = [];
    const store = interceptStore(app.connect(), ({ what }, ask) => {
      if (!what.startsWith("get")) written.push(what);
      return ask();
    });
    const { session } = createDoorcode({ name: app.name, clock: app.clock, store, session: { password } });
    const [first, second] = [await session.start({ userId: "user_1" }), await session.start({ userId: "user_1" })];
    await app.clock.advance(60_000);
    written.length = 0;
    expect(await session.endById("user_1", first.sessionId)).toBe(true);
    expect(written).toEqual(["delete session"]);
    expect((await session.list("user_1")).map(({ sessionId }) => sessionId)).toEqual([second.sessionId]);
  });

  test("the sessions of a user are listed, the newest first, with start, last use, proof and label", async () => {
    const { clock, kit } = createKit();
    const { session } = kit({ password });
    const startedAt = clock.now();
    const phone = await session.start({ userId: "user_1", provenAt: startedAt, label: "Phone" });
    await clock.advance(1000);
    const laptop = await session.start({ userId: "user_1", label: "Laptop" });
    const ended = await session.start({ userId: "user_1" });
    await session.start({ userId: "user_2" });
    await session.end(requestWith(ended));
    await clock.advance(120_000);
    await session.current(requestWith(phone));
    const at = (instant: number) => ({ startedAt: instant, expiresAt: instant + 1_209_600_000 });
    const ofLaptop = {
      ...at(startedAt + 1000),
      provenAt: undefined,
      provenBy: undefined,
      lastUsedAt: startedAt + 1000,
      label: "Laptop",
    };
    const ofPhone = {
      ...at(startedAt),
      lastUsedAt: startedAt + 121_000,
      provenAt: startedAt,
      provenBy: "phone",
      label: "Phone",
    };

    expect(await session.list("user_1")).toEqual([
      { sessionId: laptop.sessionId, ...ofLaptop },
      { sessionId: phone.sessionId, ...ofPhone },
    ]);
  });

  test("endOthers ends every other session of the user, and needs a session", async () => {
    const { kit } = createKit();
    const { session } = kit({ password });
    const own = await session.start({ userId: "user_1" });
    const others = [await session.start({ userId: "user_1" }), await session.start({ userId: "user_1" })];
    const stranger = await session.start({ userId: "user_2" });
    await session.endOthers(requestWith(own));

    expect((await session.list("user_1")).map(({ sessionId }) => sessionId)).toEqual([own.sessionId]);
    for (const other of others) expect(await session.current(requestWith(other))).toBeUndefined();
    expect(await session.current(requestWith(stranger))).toMatchObject({ userId: "user_2" });
    await expect(session.endOthers(requestWith(others[0]))).rejects.toMatchObject({ code: "login_required" });
  });

  test("endById ends a session of its own user only", async () => {
    const { kit } = createKit();
    const { session } = kit({ password });
    const started = await session.start({ userId: "user_1" });
    const results = [
      await session.endById("user_2", started.sessionId),
      await session.endById("user_1", started.sessionId),
      await session.endById("user_1", started.sessionId),
    ];
    expect(results).toEqual([false, true, false]);
    expect(await session.current(requestWith(started))).toBeUndefined();
  });

  test("a session ends when its user no longer exists", async () => {
    const users = new Map([["user_1", { name: "Ada" }]]);
    const { kit } = createKit();
    const doorcode = kit({ password, loadUser: (id) => users.get(id) ?? null });
    const { setCookie } = await doorcode.session.start({ userId: "user_1" });
    const request = requestWith({ setCookie });
    const before = await doorcode.session.current(request);
    users.clear();
    const after = await doorcode.session.current(request);
    users.set("user_1", { name: "Ada" });

    expect(before?.user).toEqual({ name: "Ada" });
    expect(after).toBeUndefined();
    expect(await doorcode.session.current(request)).toBeUndefined();
  });

  test("a session ends with its lifetime, also if it was started with a later end", async () => {
    const { clock, kit } = createKit();
    const { session } = kit({ password, lifetimeSeconds: 3600 });
    const started = await session.start({ userId: "user_1", expiresAt: clock.now() + 7_200_000 });
    await clock.advance(3_599_000);
    expect(await session.current(requestWith(started))).toMatchObject({ userId: "user_1" });
    await clock.advance(1000);
    expect(await session.current(requestWith(started))).toBeUndefined();
  });

  test("L30: a session that endAll has ended stays so until the store forgets it, on a clock that is behind", async () => {
    const { clock, kit } = createKit();
    const lifetimeSeconds = 34_560_000;
    const behind = kit({ password, lifetimeSeconds }, { ...clock, now: () => clock.now() - 30_000 });
    const { session } = kit({ password, lifetimeSeconds });
    const started = await session.start({ userId: "user_1" });
    await session.endAll("user_1");
    await clock.advance(lifetimeSeconds * 1000 + 10_000);
    expect(await behind.session.current(requestWith(started))).toBeUndefined();
  });

  test("a session that began with a longer lifetime stays in the list, and endAll ends it for good", async () => {
    const { clock, kit } = createKit();
    const started = await kit({ password, lifetimeSeconds: 1_209_600 }).session.start({ userId: "user_1" });
    const lowered = kit({ password, lifetimeSeconds: 3600 });
    await lowered.session.start({ userId: "user_1" });
    await clock.advance(7_200_000);
    expect((await lowered.session.list("user_1")).map(({ sessionId }) => sessionId)).toEqual([started.sessionId]);
    await lowered.session.endAll("user_1");
    await clock.advance(7_200_000);
    expect(await lowered.session.current(requestWith(started))).toBeUndefined();
  });
});

describe("session cookies", () => {
  const store = { name: "rotation", clock: createManualClock() };

  function kit(...passwords: string[]) {
    return createDoorcode({ ...store, session: { password: passwords } });
  }

  test("a cookie sealed with any listed password is accepted, and no other", async () => {
    const [old, middle, fresh] = ["o", "m", "f"].map((letter) => letter.repeat(32)) as [string, string, string];
    const { setCookie } = await kit(old).session.start({ userId: "user_1" });
    const read = (...passwords: string[]) => kit(...passwords).session.current(requestWith({ setCookie }));

    expect(await read(middle, old)).toMatchObject({ userId: "user_1" });
    expect(await read(fresh, middle, old)).toMatchObject({ userId: "user_1" });
    expect(await read(fresh, middle)).toBeUndefined();
    // Without its oldest password, an app still reads what the newer ones have sealed.
    const { setCookie: newer } = await kit(middle, old).session.start({ userId: "user_1" });
    expect(await kit(fresh, middle).session.current(requestWith({ setCookie: newer }))).toMatchObject({
      userId: "user_1",
    });
  });

  test.each([
    ["a GET for a page", "GET", "text/html,application/xhtml+xml", "/login?tab=1&next=%2Forders%3Fid%3D1#form"],
    ["a HEAD for a page", "HEAD", "text/html", "/login?tab=1&next=%2Forders%3Fid%3D1#form"],
    ["a POST of a form", "POST", "text/html", undefined],
    ["a GET for data", "GET", "application/json", undefined],
    ["a GET for anything", "GET", undefined, undefined],
  ])(
    "a guard redirects a browser without a session to the login page, or refuses: %s",
    async (_what, method, accept, to) => {
      const doorcode = createDoorcode({ name: "guarded", session: { password } });
      const headers = { host: "localhost", accept };
      const request = { method, path: "/orders", query: "id=1", headers };
      const answers = [];
      for (const options of [{ loginPage: "/login?tab=1#form" }, {}]) {
        const result = await createLoginGuard(doorcode, options)(request);
        answers.push("refusal" in result ? [result.refusal.status, result.refusal.headers.location] : result);
      }
      expect(answers).toEqual([
        [to === undefined ? 401 : 303, to],
        [401, undefined],
      ]);
    },
  );

  test.each([
    ["a GET for a page", "GET", 303, "/step-up?next=%2Forders%3Fid%3D1"],
    ["a POST of a form", "POST", 403, undefined],
  ])(
    "a guard sends a browser whose proof is too old to the page of the step-up, or refuses: %s",
    async (_what, method, status, location) => {
      const doorcode = createDoorcode({ name: "proving", session: { password } });
      const { setCookie } = await doorcode.session.start({ userId: "user_1" });
      const headers = { host: "localhost", accept: "text/html", cookie: setCookie.split(";")[0] };
      const guard = createLoginGuard(doorcode, {
        loginPage: "/login",
        stepUpPage: "/step-up",
        provenWithinSeconds: 300,
      });
      const result = await guard({ method, path: "/orders", query: "id=1", headers });
      expect(result).toMatchObject({ refusal: { status, cookies: [] } });
      expect("refusal" in result && result.refusal.headers.location).toBe(location);
    },
  );

  test("a session is another object for each request, so that no request sees what the app has written into it", async () => {
    const { session } = createDoorcode({ name: "objects", session: { password } });
    const request = requestWith(await session.start({ userId: "user_1" }));
    Object.assign((await session.current(request)) ?? {}, { userId: "user_2", note: "of the first request" });
    const next = await session.current(request);
    expect(next?.userId).toBe("user_1");
    expect(next).not.toHaveProperty("note");
  });

  test("a user id too long for a cookie is an error with a code of its own", async () => {
    const doorcode = createDoorcode({ name: "large", session: { password } });
    await expect(doorcode.session.start({ userId: "u".repeat(3000) })).rejects.toMatchObject({
      code: "session_too_large",
      message: expect.stringContaining("id is too long"),
    });
  });
});

test("cookies have the prefix __Host- and the attribute Secure over https, and neither on http://localhost", async () => {
  const secure = createDoorcode({ session: { password }, origins: ["https://app.example.com"], name: "secure" });
  const plain = createDoorcode({ session: { password }, origins: ["http://localhost:3000"], name: "plain" });
  const [overHttps, overHttp] = await Promise.all(
    [secure, plain].map(async (doorcode) => (await doorcode.session.start({ userId: "user_1" })).setCookie),
  );

  expect(overHttps).toMatch(/^__Host-secure-session=[^;]+; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect(overHttp).toMatch(/^plain-session=[^;]+; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/);
});
