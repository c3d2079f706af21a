import { createDoorcode, type DoorcodeOptions } from "@doorcode/core";
import { createLoginGuard } from "@doorcode/core/adapter";
import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import { createDeployment } from "../support/deployment.ts";
import { newestCode, otherPhone, password, phone, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { openPlatforms, openStores } from "../support/platforms.ts";

const { everyStore } = await openPlatforms();
const stores = await openStores();

/** The lifetime of a session, and a minute for clocks that differ. */
const maxLifetimeSeconds = 1_209_600 + 60;

describe.each(everyStore(0))("sessions on $name, codes of $owner", (platform) => {
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

  test("L20: a completed login deletes its transaction cookie", async () => {
    const { loggedIn } = await setUpLogin(platform);
    const browser = await loggedIn();
    expect([...browser.cookies.keys()].filter((name) => name.endsWith("transaction"))).toEqual([]);
  });

  test("L20: a login ends the other logins of its number, and none of another number", async () => {
    const { started, service, clock } = await setUpLogin(platform);
    const other = await started();
    const codeOfOther = newestCode(service);
    const stranger = await started({ phone: otherPhone });
    const codeOfStranger = newestCode(service);
    await clock.advance(1000);
    const browser = await started();
    await clock.advance(1000);
    await browser.post("/login/confirm", { code: newestCode(service) });
    const ended = await other.post("/login/confirm", { code: codeOfOther });
    const untouched = await stranger.post("/login/confirm", { code: codeOfStranger });

    expect(ended.json.code).toBe("no_transaction");
    expect(untouched.json.status).toBe("logged_in");
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

  test("L21: a logout invalidates every copy of the cookie", async () => {
    const { loggedIn } = await setUpLogin(platform);
    const browser = await loggedIn();
    const copy = browser.copy();
    const before = await copy.get("/account");
    const out = await browser.post("/login/logout");

    expect(before.status).toBe(200);
    expect(out.json).toEqual({ status: "none" });
    expect((await copy.get("/account")).status).toBe(401);
    expect((await copy.get("/login/state")).json).toEqual({ status: "none" });
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

  test("every entry that a login writes expires", async () => {
    const app = platform.deploy();
    const { loggedIn, service } = await setUpLogin(platform, { app });
    const browser = await loggedIn();
    await browser.post("/login/start", { phone: otherPhone });
    await browser.post("/login/resend");
    await browser.post("/login/confirm", { code: wrongCode(service) });
    const kept = await app.countEntries();
    await app.passTime(maxLifetimeSeconds * 1000);

    expect(kept).toBeGreaterThan(5);
    expect(await app.countEntries()).toBe(0);
  });

  test.each([
    ["cut short", (text: string) => text.slice(0, -4)],
    ["with a letter changed", (text: string) => (text.startsWith("A") ? `B${text.slice(1)}` : `A${text.slice(1)}`)],
    ["empty", () => ""],
    ["of 5,000 characters", () => "x".repeat(5000)],
    ["without a seal", () => "eyJ1c2VySWQiOiJhZG1pbiJ9"],
  ])("a session cookie %s is refused", async (_what, forge) => {
    const { loggedIn } = await setUpLogin(platform);
    const browser = await loggedIn();
    for (const [name, value] of browser.cookies) browser.cookies.set(name, forge(value));
    expect((await browser.get("/account")).status).toBe(401);
  });
});

describe.each(stores)("sessions without a login, stored in $name", (store) => {
  /** Creates processes of one app that uses sessions only. */
  function createKit() {
    const app = createDeployment(store);
    const { name, clock } = app;
    const kit = <User>(session: NonNullable<DoorcodeOptions<User>["session"]>) =>
      createDoorcode<User>({ name, clock, store: app.connect(), session });
    return { clock, kit };
  }

  test("endAll ends every session of a user so far, and none of another user", async () => {
    const { clock, kit } = createKit();
    const doorcode = kit({ password });
    const [first, second, other] = await Promise.all(
      ["user_1", "user_1", "user_2"].map((userId) => doorcode.session.start({ userId })),
    );
    await doorcode.session.endAll("user_1");
    await clock.advance(1);
    const later = await doorcode.session.start({ userId: "user_1" });
    const alive = [first, second, other, later].map((session) =>
      doorcode.session.current({ headers: { cookie: session?.setCookie.split(";")[0] } }),
    );
    expect((await Promise.all(alive)).map((login) => login?.userId)).toEqual([
      undefined,
      undefined,
      "user_2",
      "user_1",
    ]);
  });

  test("a session ends when its user no longer exists", async () => {
    const users = new Map([["user_1", { name: "Ada" }]]);
    const { kit } = createKit();
    const doorcode = kit({ password, loadUser: (id) => users.get(id) });
    const { setCookie } = await doorcode.session.start({ userId: "user_1" });
    const request = { headers: { cookie: setCookie.split(";")[0] } };
    const before = await doorcode.session.current(request);
    users.clear();
    const after = await doorcode.session.current(request);
    users.set("user_1", { name: "Ada" });

    expect(before?.user).toEqual({ name: "Ada" });
    expect(after).toBeUndefined();
    expect(await doorcode.session.current(request)).toBeUndefined();
  });

  test("endAll stays in effect for sessions that began with a longer lifetime", async () => {
    const { clock, kit } = createKit();
    const { setCookie } = await kit({ password, lifetimeSeconds: 1_209_600 }).session.start({ userId: "user_1" });
    const lowered = kit({ password, lifetimeSeconds: 3600 });
    await lowered.session.endAll("user_1");
    await clock.advance(7_200_000);
    expect(await lowered.session.current({ headers: { cookie: setCookie.split(";")[0] } })).toBeUndefined();
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
    const cookie = setCookie.split(";")[0];
    const read = (...passwords: string[]) => kit(...passwords).session.current({ headers: { cookie } });

    expect(await read(middle, old)).toMatchObject({ userId: "user_1" });
    expect(await read(fresh, middle, old)).toMatchObject({ userId: "user_1" });
    expect(await read(fresh, middle)).toBeUndefined();
  });

  test("removing the oldest password keeps cookies of newer passwords valid", async () => {
    const [old, fresh] = ["a", "b"].map((letter) => letter.repeat(32)) as [string, string];
    const { setCookie } = await kit(fresh, old).session.start({ userId: "user_1" });
    const cookie = setCookie.split(";")[0];
    expect(await kit(fresh).session.current({ headers: { cookie } })).toMatchObject({ userId: "user_1" });
  });

  test("a session that started without a phone proves none", async () => {
    const doorcode = createDoorcode({ name: "passkey", session: { password } });
    const admit = createLoginGuard(doorcode, { provenWithinSeconds: 300 });
    const guarded = async (phoneProvenAt?: number) => {
      const { setCookie } = await doorcode.session.start({ userId: "user_1", phoneProvenAt });
      const admission = await admit({
        method: "GET",
        path: "/",
        query: "",
        headers: { cookie: setCookie.split(";")[0] },
      });
      return "refusal" in admission ? admission.refusal.code : "admitted";
    };
    expect([await guarded(), await guarded(Date.now())]).toEqual(["proof_required", "admitted"]);
  });

  test("a cookie with text appended to its seal is refused", async () => {
    const doorcode = createDoorcode({ name: "appended", session: { password } });
    const { setCookie } = await doorcode.session.start({ userId: "user_1" });
    const cookie = `${setCookie.split(";")[0]}~junk`;
    expect(await doorcode.session.current({ headers: { cookie } })).toBeUndefined();
  });

  test("a user id too long for a cookie is an error with a code of its own", async () => {
    const doorcode = createDoorcode({ name: "large", session: { password } });
    await expect(doorcode.session.start({ userId: "u".repeat(3000) })).rejects.toMatchObject({
      code: "session_too_large",
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
