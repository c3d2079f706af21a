import { createServer } from "node:http";
import { createMemoryStore } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApp } from "../../examples/passkeys/app.ts";
import { createKit } from "../../examples/passkeys/kit.ts";
import { type Answer, type Browser, openBrowser } from "../support/browser.ts";
import { findFreePort } from "../support/free-port.ts";
import { listen } from "../support/listen.ts";
import { type Authenticator, createAuthenticator, type Deviation } from "./authenticator.ts";

const phone = "+4915123456131";

/** A service that no test calls: sessions start without a code. */
const env = {
  SERVICE_URL: "http://localhost:4010/v1",
  SERVICE_API_KEY: "key_of_the_tests",
  SESSION_PASSWORD: "a password of the tests, long enough",
};

/** Starts the example. */
async function setUp() {
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const kit = createKit({ ...env, ORIGINS: origin }, { store, databaseFile: ":memory:", clock });
  const { doorcode, accounts } = kit;
  const server = await listen(createServer(createApp(kit)), port);
  onTestFinished(async () => {
    await doorcode.close();
    await server.close();
  });
  const newAuthenticator = (id?: Buffer<ArrayBuffer>) => createAuthenticator({ origin, rpId: "localhost" }, id);
  const post = (browser: Browser, path: string, body: unknown = {}) =>
    browser.post(`/passkeys${path}`, body, { origin });
  const submit = (browser: Browser, path: string, fields: Record<string, string>) =>
    browser.submit(path, fields, { origin });

  /** Opens a browser that a proof of a user's number has logged in just now. */
  async function loggedIn(number = phone): Promise<Browser> {
    const browser = openBrowser(origin);
    const { id: userId } = accounts.findOrCreate(number);
    const { setCookie } = await doorcode.session.start({ userId, provenAt: clock.now(), by: "phone" });
    const [name = "", value = ""] = setCookie.split(";")[0]?.split(/=(.*)/s) ?? [];
    browser.cookies.set(name, value);
    return browser;
  }

  async function optionsOf(browser: Browser, path: string): Promise<{ readonly challenge: string }> {
    const { json } = await post(browser, `${path}/options`);
    return json as { challenge: string };
  }

  /** Creates a passkey for the user of a browser. */
  async function registered(browser: Browser, authenticator = newAuthenticator()): Promise<Authenticator> {
    const options = await optionsOf(browser, "/registration");
    const { status, text } = await post(browser, "/registration", authenticator.register(options));
    if (status !== 200) throw new Error(`The registration was refused: ${text}`);
    return authenticator;
  }

  /** Signs in, and returns the answer. */
  async function signIn(browser: Browser, authenticator: Authenticator, deviation?: Deviation): Promise<Answer> {
    const options = await optionsOf(browser, "/sign-in");
    return post(browser, "/sign-in", authenticator.signIn(options, deviation));
  }

  const sessions = (number = phone) => doorcode.session.list(accounts.findOrCreate(number).id);
  const open = () => openBrowser(origin);
  return {
    ...kit,
    clock,
    origin,
    open,
    loggedIn,
    newAuthenticator,
    post,
    submit,
    optionsOf,
    registered,
    signIn,
    sessions,
  };
}

const outcomeOf = ({ status, json }: Answer) => [status, json.code];
const refused = [400, "passkey_refused"];
const locationOf = ({ status, headers }: Answer) => [status, headers.get("location")];

describe("a sign-in", () => {
  test("starts a session that the passkey has proven, and ends the one that the browser had before", async () => {
    const { open, loggedIn, registered, signIn, sessions, clock } = await setUp();
    const authenticator = await registered(await loggedIn());
    const browser = await loggedIn("+4915123456132");
    const planted = browser.copy();
    await clock.advance(60_000);
    const { status } = await signIn(browser, authenticator);

    expect(status).toBe(200);
    expect((await sessions()).map(({ provenBy, provenAt }) => [provenBy, provenAt])[0]).toEqual([
      "passkey",
      clock.now(),
    ]);
    expect((await browser.get("/account")).text).toContain(phone);
    expect((await planted.get("/account")).status).toBe(401);
    expect(await signIn(open(), authenticator)).toMatchObject({ status: 200 });
  });

  test("names no passkeys before the person has chosen one, and asks the device to check the person", async () => {
    const { open, loggedIn, registered, optionsOf } = await setUp();
    await registered(await loggedIn());
    expect(await optionsOf(open(), "/sign-in")).toMatchObject({ rpId: "localhost", userVerification: "required" });
    expect(await optionsOf(open(), "/sign-in")).not.toHaveProperty("allowCredentials");
  });

  test("takes a challenge once, also if the answer to it was wrong", async () => {
    const { open, loggedIn, registered, optionsOf, post } = await setUp();
    const authenticator = await registered(await loggedIn());
    const browser = open();
    const options = await optionsOf(browser, "/sign-in");
    const first = await post(browser, "/sign-in", authenticator.signIn(options, { isUserVerified: false }));
    const second = await post(browser, "/sign-in", authenticator.signIn(options));
    const right = authenticator.signIn(await optionsOf(browser, "/sign-in"));
    const third = await post(browser, "/sign-in", right);
    const replayed = await post(browser, "/sign-in", right);

    expect([first, second, third, replayed].map(({ status }) => status)).toEqual([400, 400, 200, 400]);
  });

  test("takes a challenge of the browser that has asked for it, within fifteen minutes", async () => {
    const { open, loggedIn, registered, optionsOf, post, clock } = await setUp();
    const authenticator = await registered(await loggedIn());
    const [browser, other] = [open(), open()];
    const options = await optionsOf(browser, "/sign-in");
    await optionsOf(other, "/sign-in");
    const elsewhere = await post(other, "/sign-in", authenticator.signIn(options));
    const without = await post(open(), "/sign-in", authenticator.signIn(options));
    const invented = await post(browser, "/sign-in", authenticator.signIn({ challenge: "bm90IG91cnM" }));
    await clock.advance(899_999);
    const inTime = await post(browser, "/sign-in", authenticator.signIn(options));
    const late = await optionsOf(browser, "/sign-in");
    await clock.advance(900_000);
    const afterwards = await post(browser, "/sign-in", authenticator.signIn(late));

    expect([elsewhere, without, invented].map(outcomeOf)).toEqual([refused, refused, refused]);
    expect([inTime.status, afterwards.status]).toEqual([200, 400]);
  });

  test("takes the challenges of two tabs of a browser", async () => {
    const { open, loggedIn, registered, optionsOf, post } = await setUp();
    const authenticator = await registered(await loggedIn());
    const browser = open();
    const first = await optionsOf(browser, "/sign-in");
    await optionsOf(browser, "/sign-in");
    expect((await post(browser, "/sign-in", authenticator.signIn(first))).status).toBe(200);
  });

  test.each<[string, Deviation]>([
    ["a page of another origin has asked", { origin: "http://localhost.evil.example" }],
    ["the passkey is of another domain", { rpId: "evil.example" }],
    ["the device has not checked the person", { isUserVerified: false }],
    ["the answer is of a registration", { type: "webauthn.create" }],
    ["the counter goes back, as that of a copy does", { counter: 1 }],
    ["the counter is that of the answer before", { counter: 2 }],
    ["the counter is 0 after it was another number", { counter: 0 }],
  ])("is refused when %s", async (_what, deviation) => {
    const { open, loggedIn, registered, signIn, sessions } = await setUp();
    const authenticator = await registered(await loggedIn());
    await signIn(open(), authenticator);
    const before = (await sessions()).length;
    const browser = open();

    expect(outcomeOf(await signIn(browser, authenticator, deviation))).toEqual(refused);
    expect((await browser.get("/account")).status).toBe(401);
    expect(await sessions()).toHaveLength(before);
    expect((await signIn(browser, authenticator)).status).toBe(200);
  });

  test("is refused with a signature of another key, an unknown passkey, and one that was removed", async () => {
    const { open, loggedIn, registered, signIn, newAuthenticator, submit } = await setUp();
    const browser = await loggedIn();
    const authenticator = await registered(browser);
    const impostor = newAuthenticator(Buffer.from(authenticator.id, "base64url"));
    const forged = await signIn(open(), impostor);
    const unknown = await signIn(open(), newAuthenticator());
    await submit(browser, "/passkeys/removal", { id: authenticator.id });
    const removed = await signIn(open(), authenticator);

    expect([forged, unknown, removed].map(outcomeOf)).toEqual([refused, refused, refused]);
  });

  test.each([undefined, null, [], "text", {}, { id: 7 }, { id: "x", rawId: "x", response: {} }])(
    "is refused when the answer is none of a passkey: %j",
    async (body) => {
      const { open, post, optionsOf } = await setUp();
      const browser = open();
      await optionsOf(browser, "/sign-in");
      const { status } = await post(browser, "/sign-in", body);
      expect(status).toBe(400);
    },
  );

  test("with a passkey that does not count is accepted each time", async () => {
    const { open, loggedIn, optionsOf, post, signIn, newAuthenticator } = await setUp();
    const browser = await loggedIn();
    const authenticator = newAuthenticator();
    const options = await optionsOf(browser, "/registration");
    await post(browser, "/registration", authenticator.register(options, { counter: 0 }));
    const answers = [
      await signIn(open(), authenticator, { counter: 0 }),
      await signIn(open(), authenticator, { counter: 0 }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe("a registration", () => {
  test("needs a proof within 15 minutes, by the phone or by a passkey", async () => {
    const { open, loggedIn, registered, signIn, post, clock } = await setUp();
    const browser = await loggedIn();
    const authenticator = await registered(browser);
    await clock.advance(901_000);
    const late = await post(browser, "/registration/options");
    const anonymous = await post(open(), "/registration/options");
    await signIn(browser, authenticator);
    const renewed = await post(browser, "/registration/options");

    expect([late, anonymous, renewed].map(outcomeOf)).toEqual([
      [403, "proof_required"],
      [401, "login_required"],
      [200, undefined],
    ]);
  });

  test("asks for a passkey that stays on the device and checks the person, and for none that the user has there", async () => {
    const { loggedIn, registered, optionsOf, accounts } = await setUp();
    const browser = await loggedIn();
    const { id } = await registered(browser);
    const { id: userId } = accounts.findOrCreate(phone);
    expect(await optionsOf(browser, "/registration")).toMatchObject({
      rp: { id: "localhost" },
      user: { id: Buffer.from(userId).toString("base64url"), name: phone },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: [{ id }],
    });
  });

  test.each<[string, Deviation]>([
    ["a page of another origin has asked", { origin: "https://evil.example" }],
    ["the passkey is of another domain", { rpId: "evil.example" }],
    ["the device has not checked the person", { isUserVerified: false }],
  ])("is refused when %s, and its challenge is used", async (_what, deviation) => {
    const { loggedIn, optionsOf, post, newAuthenticator, accounts } = await setUp();
    const browser = await loggedIn();
    const options = await optionsOf(browser, "/registration");
    const authenticator = newAuthenticator();
    const wrong = await post(browser, "/registration", authenticator.register(options, deviation));
    const again = await post(browser, "/registration", authenticator.register(options));

    expect([wrong, again].map(outcomeOf)).toEqual([refused, refused]);
    expect(accounts.passkeysOf(accounts.findOrCreate(phone).id)).toEqual([]);
  });

  test("takes a challenge of its own browser, its own user and a registration only", async () => {
    const { loggedIn, optionsOf, post, newAuthenticator } = await setUp();
    const [browser, elsewhere] = [await loggedIn(), await loggedIn()];
    const options = await optionsOf(browser, "/registration");
    await optionsOf(elsewhere, "/registration");
    const ofBrowser = await post(elsewhere, "/registration", newAuthenticator().register(options));
    const ofSignIn = newAuthenticator().register(await optionsOf(browser, "/sign-in"));
    const ofAnother = await post(browser, "/registration", ofSignIn);
    // The browser stays, and another user logs in there.
    const other = await loggedIn("+4915123456132");
    for (const [name, value] of browser.cookies) if (name.startsWith("passkey")) other.cookies.set(name, value);
    const ofUser = await post(other, "/registration", newAuthenticator().register(options));
    const signed = newAuthenticator().register(options, { type: "webauthn.get" });
    const asSignIn = await post(browser, "/registration", signed);

    expect([ofBrowser, ofAnother, ofUser, asSignIn].map(outcomeOf)).toEqual(Array(4).fill(refused));
    expect((await post(browser, "/registration", newAuthenticator().register(options))).status).toBe(200);
  });

  test("of a passkey that another user has is refused, and changes nothing", async () => {
    const { loggedIn, registered, optionsOf, post, newAuthenticator, signIn, open, sessions } = await setUp();
    const authenticator = await registered(await loggedIn());
    const other = await loggedIn("+4915123456132");
    const impostor = newAuthenticator(Buffer.from(authenticator.id, "base64url"));
    const stolen = await post(other, "/registration", impostor.register(await optionsOf(other, "/registration")));
    await signIn(open(), authenticator);

    expect(outcomeOf(stolen)).toEqual(refused);
    expect((await sessions())[0]?.provenBy).toBe("passkey");
  });
});

describe("a step-up", () => {
  test("renews the proof under a new session, with a passkey of the same user", async () => {
    const { loggedIn, registered, optionsOf, post, clock, sessions } = await setUp();
    const browser = await loggedIn();
    const authenticator = await registered(browser);
    await clock.advance(901_000);
    const before = browser.copy();
    const asked = await browser.get("/passkeys", { accept: "text/html" });
    const options = await optionsOf(browser, "/step-up");
    const { status } = await post(browser, "/step-up", authenticator.signIn(options));

    expect(locationOf(asked)).toEqual([303, "/step-up?next=%2Fpasskeys"]);
    expect(options).toMatchObject({ allowCredentials: [{ id: authenticator.id }], userVerification: "required" });
    expect(status).toBe(200);
    expect((await browser.get("/passkeys")).status).toBe(200);
    expect((await before.get("/account")).status).toBe(401);
    expect(await sessions()).toHaveLength(1);
  });

  test("is refused with a passkey of another user, and with a challenge of a sign-in", async () => {
    const { loggedIn, registered, optionsOf, post, sessions } = await setUp();
    const stranger = "+4915123456132";
    const authenticator = await registered(await loggedIn(stranger));
    const browser = await loggedIn();
    const own = await registered(browser);
    const ofStranger = await post(browser, "/step-up", authenticator.signIn(await optionsOf(browser, "/step-up")));
    const ofSignIn = await post(browser, "/step-up", own.signIn(await optionsOf(browser, "/sign-in")));
    const asSignIn = await post(browser, "/sign-in", own.signIn(await optionsOf(browser, "/step-up")));

    expect([ofStranger, ofSignIn, asSignIn].map(outcomeOf)).toEqual([refused, refused, refused]);
    expect((await sessions()).map(({ provenBy }) => provenBy)).toEqual(["phone"]);
    expect((await sessions(stranger)).map(({ provenBy }) => provenBy)).toEqual(["phone"]);
  });

  test("offers each proof that the user has", async () => {
    const { loggedIn, registered, submit } = await setUp();
    const browser = await loggedIn();
    const byPhone = (await browser.get("/step-up")).text;
    await registered(browser);
    const byBoth = (await browser.get("/step-up")).text;
    await submit(browser, "/number/remove", { phone });
    const byPasskey = (await browser.get("/step-up")).text;
    const offers = [byPhone, byBoth, byPasskey].map((page) => [
      page.includes('action="/step-up/start"'),
      page.includes("Confirm with a passkey"),
    ]);
    expect(offers).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
  });
});

describe("the last way in", () => {
  test("a number goes when there is a passkey, and then the passkey stays", async () => {
    const { loggedIn, registered, submit, accounts } = await setUp();
    const browser = await loggedIn();
    const userId = accounts.findOrCreate(phone).id;
    const tooEarly = await submit(browser, "/number/remove", { phone });
    const { id } = await registered(browser);
    const removed = await submit(browser, "/number/remove", { phone });
    const last = await submit(browser, "/passkeys/removal", { id });

    expect([tooEarly, removed, last].map(locationOf)).toEqual([
      [303, "/number?problem=last_way_in"],
      [303, "/account"],
      [303, "/passkeys?problem=last_way_in"],
    ]);
    expect([accounts.get(userId)?.phone, accounts.passkeysOf(userId).length]).toEqual([null, 1]);
    expect((await browser.get("/passkeys?problem=last_way_in")).text).toContain("last way into your account");
    // The next owner of the number gets another account.
    expect(accounts.findOrCreate(phone).id).not.toBe(userId);
  });

  test("of two passkeys without a number one goes, and it ends the user's other sessions", async () => {
    const { loggedIn, registered, submit, accounts, open, signIn } = await setUp();
    const browser = await loggedIn();
    const [first, second] = [await registered(browser), await registered(browser)];
    const userId = accounts.findOrCreate(phone).id;
    await submit(browser, "/number/remove", { phone });
    const thief = open();
    await signIn(thief, first);
    const removed = await submit(browser, "/passkeys/removal", { id: first.id });

    expect(locationOf(removed)).toEqual([303, "/passkeys"]);
    expect(accounts.passkeysOf(userId).map(({ id }) => id)).toEqual([second.id]);
    expect([(await browser.get("/account")).status, (await thief.get("/account")).status]).toEqual([200, 401]);
  });

  test("a passkey is removed by its own user, after a recent proof", async () => {
    const { loggedIn, registered, submit, clock, accounts } = await setUp();
    const browser = await loggedIn();
    const { id } = await registered(browser);
    const stranger = await submit(await loggedIn("+4915123456132"), "/passkeys/removal", { id });
    await clock.advance(901_000);
    const late = await submit(browser, "/passkeys/removal", { id });

    expect(locationOf(stranger)).toEqual([303, "/passkeys?problem=unknown"]);
    expect(late.status).toBe(403);
    expect(accounts.findPasskey(id)).toBeDefined();
  });
});

test("of two uses of a passkey at the same time, one is refused if the passkey counts, and both if it was removed", async () => {
  const { loggedIn, registered, accounts } = await setUp();
  const { id } = await registered(await loggedIn());
  const uses = [5, 5, 4, 0, 6].map((counter) => accounts.usePasskey(id, counter, 0));
  accounts.removePasskey(accounts.findOrCreate(phone).id, id);

  expect([...uses, accounts.usePasskey(id, 7, 0)]).toEqual([true, false, false, false, true, false]);
});

test("a POST of another site is refused, and so is one that does not say where it comes from", async () => {
  const { loggedIn, accounts, registered, origin } = await setUp();
  const browser = await loggedIn();
  const { id } = await registered(browser);
  const paths = [
    "/sign-in/options",
    "/sign-in",
    "/step-up/options",
    "/step-up",
    "/registration/options",
    "/registration",
  ];
  const answers = [];
  for (const headers of [
    { origin: "http://localhost:1" },
    { origin: `${origin}.evil.example` },
    { origin: "null" },
    {},
  ]) {
    for (const path of paths) answers.push(await browser.post(`/passkeys${path}`, {}, headers));
    answers.push(await browser.submit("/passkeys/removal", { id }, headers));
  }

  expect(answers).toHaveLength(28);
  for (const answer of answers) expect(outcomeOf(answer)).toEqual([403, "foreign_origin"]);
  expect(accounts.findPasskey(id)).toBeDefined();
});

test("an address that asks too often waits", async () => {
  const { open, post } = await setUp();
  const statuses = [];
  for (let index = 0; index < 31; index++) statuses.push((await post(open(), "/sign-in/options")).status);
  expect(statuses).toEqual([...Array(30).fill(200), 429]);
});

test("the cookie of a challenge is not for scripts and not for other sites, and bound to its host over https", async () => {
  const origin = "https://app.example.com";
  const kit = createKit({ ...env, ORIGINS: origin }, { store: createMemoryStore(), databaseFile: ":memory:" });
  const { url, close } = await listen(createServer(createApp(kit)));
  onTestFinished(close);
  const { headers } = await openBrowser(url).post("/passkeys/sign-in/options", {}, { origin });
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^__Host-passkey-browser=[\w-]{43}; Max-Age=900; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Strict$/,
    ),
  ]);
});
