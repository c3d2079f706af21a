import { createDoorcode } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { type Browser, openBrowser } from "../support/browser.ts";
import {
  type LoginSetup,
  type LoginSetupOptions,
  newestCode,
  otherPhone,
  password,
  phone,
  setUpLogin,
} from "../support/login-setup.ts";
import { openPhoneApp, type PhoneApp, tokenHeaders } from "../support/phone-app.ts";
import { inMemory, type Platform } from "../support/platforms.ts";

/** Starts an app that has browsers and phones. */
function setUpBoth(platform: Platform, given: LoginSetupOptions = {}): Promise<LoginSetup> {
  const session = { password, transport: "both" } as const;
  return setUpLogin(platform, { ...given, options: { ...given.options, session } });
}

async function startedApp({ url }: LoginSetup, body = { phone }): Promise<PhoneApp> {
  const app = openPhoneApp(url);
  await app.post("/login/start", body);
  return app;
}

async function loggedInApp(login: LoginSetup): Promise<PhoneApp> {
  // A login that starts in the instant of another one is superseded by it.
  await login.clock.advance(1000);
  const app = await startedApp(login);
  const { status, text } = await app.post("/login/confirm", { code: newestCode(login.service) });
  if (status !== 200) throw new Error(`The login was not confirmed: ${status} ${text}`);
  return app;
}

/** Returns the name of a cookie of a browser by its ending, and its value. */
function cookieOf({ cookies }: Browser, ending: string): [name: string, value: string] {
  const found = [...cookies].find(([name]) => name.endsWith(ending));
  if (!found) throw new Error(`The browser has no cookie ${ending}.`);
  return found;
}

describe.each(inMemory)("tokens on $name, codes of $owner", (platform) => {
  test("L43: neither the session's token nor its cookie is accepted as the other", async () => {
    const login = await setUpBoth(platform);
    const { sessionToken = "" } = (await loggedInApp(login)).tokens;
    await login.clock.advance(1000);
    const browser = await login.loggedIn();
    const [name, value] = cookieOf(browser, "-session");
    const seal = sessionToken.replace("sessionToken.", "").replaceAll("/", "*");
    const asCookies = [sessionToken, seal].map((text) => openBrowser(login.url, new Map([[name, text]])));
    const asTokens = [value, `sessionToken.${value.replaceAll("*", "/")}`].map((text) =>
      openPhoneApp(login.url, { sessionToken: text }),
    );
    const asked = await Promise.all([...asCookies, ...asTokens].map((client) => client.get("/account")));

    expect(asked.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect((await browser.get("/account")).status).toBe(200);
    expect((await openPhoneApp(login.url, { sessionToken }).get("/account")).status).toBe(200);
  });

  test("L43: neither the token of a login under way nor its cookie is accepted as the other", async () => {
    const login = await setUpBoth(platform);
    const browser = await login.started();
    const [name, value] = cookieOf(browser, "-transaction");
    const { transactionToken = "" } = (await startedApp(login)).tokens;
    const code = newestCode(login.service);
    const bare = transactionToken.replace("transactionToken.", "");
    const asCookies = [transactionToken, bare].map((text) => openBrowser(login.url, new Map([[name, text]])));
    const asTokens = [value, `transactionToken.${value}`].map((text) =>
      openPhoneApp(login.url, { transactionToken: text }),
    );
    const tried = [];
    for (const client of [...asCookies, ...asTokens]) tried.push(await client.post("/login/confirm", { code }));

    expect(tried.map(({ json }) => json.code)).toEqual(Array(4).fill("no_transaction"));
    expect(login.logins).toEqual([]);
  });

  test("L43: a token of one purpose is none of another purpose, and none of a device", async () => {
    const login = await setUpBoth(platform, { account: true });
    const app = await loggedInApp(login);
    await login.clock.advance(1000);
    await app.post("/login/start", { phone });
    const code = newestCode(login.service);
    const tried = [
      await app.copy().post("/link/confirm", { code }),
      await app.copy().post("/step-up/confirm", { code }),
      await openPhoneApp(login.url, { transactionToken: app.tokens.deviceToken ?? "" }).post("/login/confirm", {
        code,
      }),
    ];
    expect(tried.map(({ json }) => json.code)).toEqual(Array(3).fill("no_transaction"));
    expect((await app.post("/login/confirm", { code })).json.status).toBe("logged_in");
  });

  test("L21: a token of a session that has ended is refused everywhere, however it has ended", async () => {
    const login = await setUpBoth(platform, { account: true });
    const app = await loggedInApp(login);
    const thief = app.copy();
    expect((await thief.get("/account")).status).toBe(200);
    await app.post("/login/logout");
    const answers = [
      await thief.get("/account"),
      await thief.post("/link/start", { phone: otherPhone }),
      await thief.post("/step-up/start"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(answers.map(({ headers }) => headers.get("www-authenticate"))).toEqual(
      Array(3).fill('Bearer error="invalid_token"'),
    );
    expect((await thief.get("/login/state")).json.status).toBe("none");
  });

  test("a device is remembered by its token, as a browser is by its cookie", async () => {
    const login = await setUpBoth(platform, { account: true });
    const app = await loggedInApp(login);
    await login.clock.advance(1000);
    await app.post("/step-up/start");
    await app.post("/step-up/confirm", { code: newestCode(login.service), remember: true });
    await login.clock.advance(3_600_000);
    const statuses = [await app.get("/orders"), await app.get("/transfer")].map(({ status }) => status);
    expect(statuses).toEqual([200, 403]);
  });

  test("a device is known by the token that it was given, and by no made-up one", async () => {
    const known: boolean[] = [];
    const login = await setUpBoth(platform, {
      login: {
        onLogin: ({ knownDevice }) => {
          known.push(knownDevice);
          return "user_1";
        },
      },
    });
    const { deviceToken = "" } = (await loggedInApp(login)).tokens;
    const forged = [`deviceToken.${"A".repeat(22)}`, deviceToken.replace("deviceToken.", ""), "deviceToken."];
    for (const token of [deviceToken, ...forged]) {
      await login.clock.advance(1000);
      const app = openPhoneApp(login.url, { deviceToken: token });
      await app.post("/login/start", { phone });
      await app.post("/login/confirm", { code: newestCode(login.service) });
    }
    expect(known).toEqual([false, true, false, false, false]);
  });
});

const [platform] = inMemory;
if (!platform) throw new Error("There is no platform.");

describe("a request with a token and cookies", () => {
  test("L43: is one with a token: its cookies do not count, and no cookie stands in for a token that is not valid", async () => {
    const login = await setUpBoth(platform);
    const browser = await login.loggedIn();
    const app = await loggedInApp(login);
    const [valid, invalid] = [tokenHeaders(app.tokens), tokenHeaders({ sessionToken: "nothing" })];
    const withCookies = (path: string, headers: Record<string, string>) => browser.get(path, headers);

    expect((await withCookies("/account", invalid)).status).toBe(401);
    const malformed = ["", "x", "x y", "x, Bearer y"].map((rest) => ({
      authorization: `bearer  sessionToken.${rest}`,
    }));
    for (const headers of malformed) expect((await withCookies("/account", headers)).status).toBe(401);
    expect((await withCookies("/login/state", invalid)).json.status).toBe("none");
    expect((await withCookies("/login/state", { "doorcode-transport": "bearer" })).json.status).toBe("none");
    const json = { "content-type": "application/json" };
    const out = await browser.post("/login/logout", {}, { ...json, ...valid });
    expect([out.status, out.headers.getSetCookie()]).toEqual([200, []]);
    expect([(await browser.get("/account")).status, (await app.get("/account")).status]).toEqual([200, 401]);
  });

  test("L43: a page of another site is refused with every combination of them", async () => {
    const login = await setUpBoth(platform, { options: { origins: ["https://app.example.com"] } });
    const own = { origin: "https://app.example.com", "sec-fetch-site": "same-origin" };
    const browser = login.open();
    await browser.post("/login/start", { phone }, own);
    await browser.post("/login/confirm", { code: newestCode(login.service) }, own);
    await browser.post("/login/start", { phone: otherPhone }, own);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const app = await loggedInApp(login);
    const before = login.service.created.length;

    const marks: Record<string, string>[] = [
      {},
      { "doorcode-transport": "bearer" },
      { authorization: "Bearer sessionToken.x" },
      { "doorcode-transaction": "x" },
      { "doorcode-device": "x" },
      tokenHeaders(app.tokens),
    ];
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ];
    const types = ["application/json", "application/x-www-form-urlencoded", "text/plain"];
    const body = JSON.stringify({ phone, code: newestCode(login.service) });
    const codes = new Set<unknown>();
    for (const step of ["start", "resend", "cancel", "logout", "confirm"]) {
      for (const type of types) {
        for (const from of marks.flatMap((mark) => foreign.map((origin) => ({ ...mark, ...origin })))) {
          const headers = { "content-type": type, cookie, ...from };
          codes.add((await login.open().send(`/login/${step}`, { method: "POST", headers, body })).json.code);
        }
      }
    }
    expect([...codes]).toEqual(["foreign_origin"]);
    expect(login.service.created.length).toBe(before);
    expect((await browser.get("/login/state")).json.status).toBe("code_sent");
    expect([(await browser.get("/account")).status, (await app.get("/account")).status]).toEqual([200, 200]);
  });
});

describe("who gets tokens", () => {
  const bearer = { "content-type": "application/json", "doorcode-transport": "bearer" };

  test.each([
    ["of the website in a browser without Sec-Fetch-Site", { origin: "https://app.example.com" }],
    ["of the website that hides its origin", { origin: "null", "sec-fetch-site": "same-origin" }],
    ["of a listed site, shown in another site", { origin: "https://app.example.com", "sec-fetch-site": "cross-site" }],
    ["inside an app that is not listed", { origin: "ionic://localhost" }],
  ])("L44: beside cookies, no page %s gets them: %j", async (_what, headers) => {
    const origins = ["https://app.example.com", "https://localhost", "capacitor://localhost"];
    const login = await setUpBoth(platform, { options: { origins } });
    const { status, json } = await login.open().post("/login/start", { phone }, { ...bearer, ...headers });
    expect([status, json.transactionToken, login.service.created.length]).toEqual([403, undefined, 0]);
  });

  test("L44: a session in a cookie never becomes one in a token", async () => {
    const login = await setUpBoth(platform, { account: true });
    const browser = await login.loggedIn();
    const answers = [
      await browser.post("/step-up/start", {}, bearer),
      await browser.post("/link/start", { phone: otherPhone }, bearer),
    ];
    expect(answers.map(({ json }) => json.code)).toEqual(["login_required", "login_required"]);
  });

  test("L44: nobody, if logins travel in cookies", async () => {
    const login = await setUpLogin(platform);
    const asked = await login.open().post("/login/start", { phone }, bearer);
    expect([asked.status, asked.json.code]).toEqual([403, "transport_not_allowed"]);
  });

  const foreignTokens = [
    "Bearer of-a-gateway",
    "Bearer",
    "Bearer Fe26.2/1/x~2",
    "Bearer SESSIONTOKEN.x",
    "Basic sessionToken.x",
  ];
  test.each(
    (["cookie", "both"] as const).flatMap((transport) => foreignTokens.map((foreign) => ({ transport, foreign }))),
  )("L44: with $transport, `$foreign` is no token of the kit, and leaves a page its cookies", async (row) => {
    const { transport, foreign: authorization } = row;
    const login = await setUpLogin(platform, { options: { session: { password, transport } } });
    const browser = login.open();
    const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin", authorization };
    const { json: started } = await browser.post("/login/start", { phone }, headers);
    const { json: confirmed } = await browser.post("/login/confirm", { code: newestCode(login.service) }, headers);
    const guarded = await browser.get("/account", { authorization });
    const stranger = await login.open().get("/account", { authorization });
    await browser.post("/login/logout", {}, headers);

    const given = Object.keys({ ...started, ...confirmed }).filter((name) => name.endsWith("Token"));
    expect([started.status, confirmed.status, given]).toEqual(["code_sent", "logged_in", []]);
    expect([guarded.status, stranger.status]).toEqual([200, 401]);
    expect(stranger.headers.get("www-authenticate")).toBe(transport === "both" ? "Bearer" : null);
    expect((await browser.get("/account", { authorization })).status).toBe(401);
  });

  test("a client with a foreign token gets those of the kit by asking for them", async () => {
    const login = await setUpBoth(platform);
    const app = openPhoneApp(login.url);
    const authorization = "Bearer of-a-gateway";
    await app.post("/login/start", { phone }, { authorization });
    await app.post("/login/confirm", { code: newestCode(login.service) }, { authorization });
    const guarded = [await app.get("/account"), await app.get("/account", { authorization })];
    expect(guarded.map(({ status }) => status)).toEqual([200, 401]);
    expect(guarded[1]?.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  });

  test("every client, if logins travel as tokens only: cookies of the same app then name nothing", async () => {
    const session = { password, transport: "bearer" } as const;
    const login = await setUpLogin(platform, { options: { session } });
    const app = openPhoneApp(login.url);
    const own = { "sec-fetch-site": "same-origin", "doorcode-transport": "" };
    await app.post("/login/start", { phone }, own);
    await app.post("/login/confirm", { code: newestCode(login.service) }, own);
    expect((await app.get("/account")).status).toBe(200);
  });

  test("a request that carries a token of the kit need not ask for tokens", async () => {
    const login = await setUpBoth(platform);
    const { tokens } = await loggedInApp(login);
    const without = { "doorcode-transport": "" };
    const app = openPhoneApp(login.url, { deviceToken: tokens.deviceToken ?? "" });
    const started = await app.post("/login/start", { phone: otherPhone }, without);
    const headers = { ...without, "doorcode-device": "" };
    const confirmed = await app.post("/login/confirm", { code: newestCode(login.service) }, headers);
    expect([typeof started.json.transactionToken, typeof confirmed.json.sessionToken]).toEqual(["string", "string"]);
  });

  test("a form is refused: its redirect could carry no token", async () => {
    const session = { password, transport: "bearer" } as const;
    const login = await setUpLogin(platform, { options: { session } });
    const answer = await login.open().submit("/login/start", { phone });
    expect([answer.status, answer.json.code]).toEqual([415, "media_type_unsupported"]);
  });
});

describe("sessions that the app starts itself", () => {
  const kit = (transport: "cookie" | "bearer" | "both") => createDoorcode({ session: { password, transport } });

  test("are named by a token, too", async () => {
    const { session } = kit("both");
    const { sessionToken, sessionId } = await session.startBearer({ userId: "user_1" });
    const requestWith = (authorization: string) => ({ headers: { host: "localhost", authorization } });
    const request = requestWith(`Bearer ${sessionToken}`);
    expect(await session.current(request)).toMatchObject({ userId: "user_1", sessionId });
    for (const other of [`Basic ${sessionToken}`, `Bearer${sessionToken}`, `Bearer\t${sessionToken}`]) {
      expect(await session.current(requestWith(other))).toBeUndefined();
    }
    await session.end(request);
    expect(await session.current(request)).toBeUndefined();
  });

  test("cannot be started in a way that the app would not accept", async () => {
    await expect(kit("cookie").session.startBearer({ userId: "user_1" })).rejects.toThrow(
      'session.transport is "cookie": set it to "bearer" or "both"',
    );
    await expect(kit("bearer").session.start({ userId: "user_1" })).rejects.toThrow(TypeError);
  });
});
