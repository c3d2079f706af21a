import { createDoorcode, createProofVerifier, type LoginProof, serviceCodes } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { phoneLogin } from "@doorcode/fetch";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Browser } from "../support/browser.ts";
import { postTo } from "../support/fetch-mount.ts";
import { newestCode, otherPhone, password, phone, setUpLogin } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";
import { startScriptedService } from "../support/scripted-service.ts";

const oneDay = 86_400_000;

describe.each(inMemory)("numbers without an account on $name, codes of $owner", (platform) => {
  /** Starts an app that notes which numbers are suspected. */
  async function setUp(given: Parameters<typeof setUpLogin>[1] = {}) {
    const suspected: LoginProof[] = [];
    const app = platform.deploy();
    const login = await setUpLogin(platform, {
      app,
      account: true,
      ...given,
      login: { onSuspicion: (proof) => suspected.push(proof) > 0, ...given.login },
    });
    async function prove(browser: Browser, mount: string, number = phone) {
      await login.clock.advance(1000);
      await browser.post(`${mount}/start`, { phone: number });
      return browser.post(`${mount}/confirm`, { code: newestCode(login.service) });
    }
    const verifyProof = createProofVerifier({ password, audience: "checkout", name: app.name, clock: login.clock });
    return { ...login, suspected, prove, verifyProof };
  }

  test("a confirmed code is answered with a proof that the app's server reads, for ten minutes", async () => {
    const { open, prove, verifyProof, clock, logins } = await setUp();
    const { json, status } = await prove(open(), "/verify");
    const read = await verifyProof(json.proof);
    await clock.advance(600_000);

    expect([status, json.status, json.expiresInSeconds, json.phone]).toEqual([
      200,
      "verified",
      600,
      "+49 ••• ••• 6789",
    ]);
    expect(read).toMatchObject({ phone, loginId: expect.any(String) });
    expect(read.expiresAt - read.verifiedAt).toBe(600_000);
    await expect(verifyProof(json.proof)).rejects.toMatchObject({ code: "proof_expired" });
    expect(logins).toEqual([]);
  });

  test("no session is started, read or ended, and no device cookie is set", async () => {
    const { open, loggedIn, prove, clock } = await setUp();
    const guest = open();
    await prove(guest, "/verify");
    await clock.advance(1000);
    const user = await loggedIn();
    const cookies = new Map(user.cookies);
    const state = (await user.get("/verify/state")).json;
    const proven = await prove(user, "/verify", otherPhone);

    expect([...guest.cookies.keys()].map((name) => name.split("-").at(-1))).toEqual(["proof"]);
    expect(state.status).toBe("none");
    expect(JSON.stringify(proven.json)).not.toContain("user of");
    expect((await guest.get("/account")).status).toBe(401);
    expect((await user.get("/account")).json.id).toBe(`user of ${phone}`);
    for (const [name, value] of cookies) expect(user.cookies.get(name)).toBe(value);
    expect((await guest.post("/verify/logout")).status).toBe(404);
  });

  test("L45: a code of a login never yields a proof, and that of a verify never a session", async () => {
    const { loggedIn, service, logins } = await setUp();
    const browser = await loggedIn();
    const answers: unknown[] = [];
    for (const [from, to] of [
      ["/login", "/verify"],
      ["/link", "/verify"],
      ["/step-up", "/verify"],
      ["/verify", "/login"],
      ["/verify", "/step-up"],
    ] as const) {
      await browser.post(`${from}/start`, { phone: otherPhone });
      const copy = browser.copy();
      // Also when the cookie is given the name of the other purpose.
      const names = [...copy.cookies.keys()].filter((name) => name.endsWith("transaction"));
      const started =
        copy.cookies.get(names.find((name) => name.endsWith(`${cookieOf[from]}-transaction`)) ?? "") ?? "";
      const prefix = names[0]?.split("-")[0];
      copy.cookies.set(`${prefix}${cookieOf[to]}-transaction`, started);
      answers.push((await copy.post(`${to}/confirm`, { code: newestCode(service) })).json.code);
      await browser.post(`${from}/cancel`);
    }
    expect(answers).toEqual(Array(5).fill("no_transaction"));
    expect(logins).toHaveLength(1);
  });

  test("a proof stands in the state until another number is wanted, in this browser only", async () => {
    const { open, prove } = await setUp();
    const browser = open();
    const { json } = await prove(browser, "/verify");
    const reloaded = (await browser.get("/verify/state")).json;
    const elsewhere = (await open().get("/verify/state")).json;
    const forged = browser.copy();
    for (const name of forged.cookies.keys()) forged.cookies.set(name, "Fe26.2*AAAA~2");
    const cancelled = await browser.post("/verify/cancel");

    const { number, ...kept } = json;
    expect(number).toBe("+49 1512 3456789");
    expect(reloaded).toEqual(kept);
    expect([elsewhere.status, (await forged.get("/verify/state")).json.status]).toEqual(["none", "none"]);
    expect([cancelled.json.status, browser.cookies.size]).toEqual(["none", 0]);
  });

  test("codes of a verify share the budgets of their number with logins", async () => {
    const { open, prove } = await setUp({ login: { limits: { cooldownSeconds: 0, sendsPerPhone: 2 } } });
    await prove(open(), "/verify");
    await open().post("/verify/start", { phone });
    const refused = await open().post("/login/start", { phone });
    expect([refused.status, refused.json.code]).toEqual([429, "send_limit_reached"]);
  });

  test("L38: a verify makes no device known and no number look used: the next owner of a number stays suspected", async () => {
    const { open, clock, prove, suspected } = await setUp();
    await prove(open(), "/login");
    await clock.advance(200 * oneDay);
    const nextOwner = open();
    await prove(nextOwner, "/verify");
    await prove(nextOwner, "/login");

    expect(suspected.map(({ knownDevice }) => knownDevice)).toEqual([false, false]);
    expect(suspected[1]?.lastProvenAt).toBeLessThan(clock.now() - 199 * oneDay);
  });

  test("a client without cookies gets its proof in the answer alone", async () => {
    const { open, service, verifyProof } = await setUp({ options: { session: { password, transport: "both" } } });
    const phoneApp = open();
    const headers = { "doorcode-transport": "bearer" };
    const started = await phoneApp.post("/verify/start", { phone }, headers);
    const transaction = { ...headers, "doorcode-transaction": String(started.json.transactionToken) };
    const { json } = await phoneApp.post("/verify/confirm", { code: newestCode(service) }, transaction);
    expect([(await verifyProof(json.proof)).phone, json.deviceToken, phoneApp.cookies.size]).toEqual([
      phone,
      undefined,
      0,
    ]);
  });
});

const cookieOf: Readonly<Record<string, string>> = {
  "/login": "",
  "/link": "-link",
  "/step-up": "-step-up",
  "/verify": "-verify",
};

/** Kits of one name share the memory of their process. */
let kits = 0;

describe("a kit whose logins only verify", () => {
  async function setUp(boundTo?: (context: { request: Request }) => Promise<string> | string | undefined) {
    const service = await startScriptedService();
    onTestFinished(service.close);
    const clock = createManualClock();
    const name = `verify${++kits}`;
    const doorcode = createDoorcode({
      clock,
      name,
      service: { baseUrl: service.url, apiKey: "key_of_the_tests" },
      login: { countries: ["DE"], codes: serviceCodes({ template: "login" }), password },
    });
    const mountFor = (audience: string) => {
      const proof = { audience, lifetimeSeconds: 60, ...(boundTo && { boundTo }) };
      return phoneLogin(doorcode, { basePath: "/verify", purpose: "verify", proof });
    };
    const mount = mountFor("checkout");
    const verifyProof = createProofVerifier({ password, audience: "checkout", name, clock });
    const post = (path: string, body: object, cookie?: string) => postTo(mount, `/verify${path}`, body, cookie);
    return { post, clock, service, mount, mountFor, verifyProof };
  }

  test("needs neither onLogin nor sessions, and its proofs live as long as it says", async () => {
    const { post, clock, service, verifyProof } = await setUp();
    const { cookie } = await post("/start", { phone });
    const { json } = await post("/confirm", { code: service.code }, cookie);
    expect((await verifyProof(json.proof)).expiresAt).toBe(clock.now() + 60_000);
  });

  test("L45: a proof is bound to what the app says of the request that confirmed it", async () => {
    const cartOf = ({ request }: { request: Request }) => /cart=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1];
    const { post, service, mount, verifyProof } = await setUp(cartOf);
    const { cookie } = await post("/start", { phone });
    const { json, cookie: kept } = await post("/confirm", { code: service.code }, `${cookie}; cart=1`);
    const stateIn = async (cart: number) => {
      const headers = { host: "localhost", cookie: `${kept}; cart=${cart}` };
      return (await mount.state(new Request("http://localhost/checkout", { headers }))).status;
    };

    expect((await verifyProof(json.proof, { boundTo: "1" })).phone).toBe(phone);
    await expect(verifyProof(json.proof, { boundTo: "2" })).rejects.toMatchObject({ code: "proof_foreign" });
    expect([await stateIn(1), await stateIn(2)]).toEqual(["verified", "none"]);
  });

  const forever = Promise.withResolvers<string>();
  const late = { name: "Error", message: "phoneLogin.proof.boundTo took longer than 10 seconds." };
  test.each([
    ["throws", () => Promise.reject(new Error("the database of carts")), { message: "the database of carts" }],
    ["hangs for ten seconds", () => forever.promise, late],
    ["returns no text", () => 42 as never, { message: expect.stringMatching(/boundTo must return a string/) }],
  ])(
    "a boundTo that %s is an error of the app, before the code is used: the code stays right",
    async (_, fail, error) => {
      const asked = Promise.withResolvers<void>();
      let fails = true;
      const { post, service, clock } = await setUp(() => {
        asked.resolve();
        return fails ? fail() : "1";
      });
      const { cookie } = await post("/start", { phone });
      const confirming = post("/confirm", { code: service.code }, cookie).catch((thrown: unknown) => thrown);
      await asked.promise;
      await clock.advance(10_000);
      expect(await confirming).toMatchObject(error);
      fails = false;
      expect((await post("/confirm", { code: service.code }, cookie)).json.status).toBe("verified");
      expect(clock.pending).toBe(0);
    },
  );

  test("L45: a proof of one mount is none of another mount, whose cookie is another one", async () => {
    const { post, service, mount, mountFor } = await setUp();
    const { cookie } = await post("/start", { phone });
    const kept = (await post("/confirm", { code: service.code }, cookie)).cookie;
    const renamed = kept.replace("-checkout-proof=", "-newsletter-proof=");
    const stateOf = async (of: typeof mount, cookies: string) =>
      (await of.state(new Request("http://localhost/page", { headers: { host: "localhost", cookie: cookies } })))
        .status;

    expect(renamed).not.toBe(kept);
    const other = mountFor("newsletter");
    const states = [await stateOf(mount, kept), await stateOf(other, kept), await stateOf(other, renamed)];
    expect([...states, await stateOf(mountFor("checkout"), kept)]).toEqual(["verified", "none", "none", "verified"]);
  });
});
