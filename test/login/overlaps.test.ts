import { appCodes } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { type Browser, openBrowser, outcomeOf } from "../support/browser.ts";
import { suspended } from "../support/deployment.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import {
  type LoginSetup,
  type LoginSetupOptions,
  newestCode,
  phone,
  serviceOwned,
  setUpLogin,
  setUpStarted,
  tryWrongCodes,
  wrongCode,
} from "../support/login-setup.ts";
import { inMemory, openPlatforms } from "../support/platforms.ts";

const everyStore = await openPlatforms();

describe.each(everyStore(0))("a process that dies on $name, codes of $owner", (platform) => {
  test("L19: another process completes the login of one that died after the last attempt", async () => {
    const app = platform.deploy();
    const dying = createBarrier();
    const dead = await setUpLogin(platform, {
      app: suspended(app),
      login: { onLogin: dying.hold("a user whom no browser learns of") },
    });
    const alive = await setUpLogin(platform, { app });
    // Verifications are the first service's: the second process asks it, too.
    alive.service.onConfirm = () => ({ status: 404, body: {} });
    const browser = await dead.started();
    const code = newestCode(dead.service);
    const moved = alive.open();
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
    await tryWrongCodes(browser, dead.service, 4);
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

    expect([busy.status, busy.json.code, busy.headers.get("retry-after")]).toEqual([503, "transaction_busy", "1"]);
    expect(finished.json).toMatchObject({ status: "logged_in", userId: `user of ${phone}` });
    expect([late.status, late.json.code]).toEqual([409, "login_superseded"]);
    expect((await browser.get("/account")).status).toBe(401);
  });
});

describe.each(inMemory)("overlapping requests on $name, codes of $owner", (platform) => {
  test("a logout during a confirmation stays in effect, and the session that no browser got is ended", async () => {
    const finishing = createBarrier();
    const app = platform.deploy();
    const { store, carriedOut } = createFailingStore(app);
    const { browser, service } = await setUpStarted(platform, {
      app,
      store,
      login: { onLogin: finishing.hold("user_1") },
    });
    const confirming = browser.copy().post("/login/confirm", { code: newestCode(service) });
    await finishing.arrived(1);
    await browser.post("/login/logout");
    finishing.open();
    const superseded = await confirming;
    expect([superseded.status, superseded.json.code]).toEqual([409, "login_superseded"]);
    expect(carriedOut.at(-1)?.what).toBe("delete session");
  });

  test("a code that expires while another request finishes the login is refused as expired", async () => {
    const finishing = createBarrier();
    const { browser, service, clock } = await setUpStarted(platform, {
      login: { onLogin: finishing.hold("user_1") },
    });
    const { expiresInSeconds } = (await browser.get("/login/state")).json;
    await clock.advance((Number(expiresInSeconds) - 1) * 1000);
    const code = newestCode(service);
    const first = browser.copy().post("/login/confirm", { code });
    await finishing.arrived(1);
    const pending = clock.pending;
    const second = browser.copy().post("/login/confirm", { code });
    await expect.poll(() => clock.pending, { timeout: 10_000 }).toBeGreaterThan(pending);
    await clock.advance(1000);
    const late = await second;
    finishing.open();

    expect([late.json.code, (await first).json.status]).toEqual(["code_expired", "logged_in"]);
  });

  test("a login that was cancelled while its code was checked is not left leased", async () => {
    const checking = createBarrier();
    const app = platform.deploy();
    const { store, carriedOut, working } = createFailingStore(app);
    const { codes } = serviceOwned;
    const { browser, service } = await setUpStarted(platform, { app, store, codes });
    service.onConfirm = checking.hold(undefined);
    const confirming = browser.copy().post("/login/confirm", { code: service.code });
    await checking.arrived(1);
    await browser.post("/login/cancel");
    checking.open();
    const refused = await confirming;
    const [key = ""] = carriedOut.find(({ what }) => what === "lease transaction")?.keys ?? [];
    const { held, value } = await working.lease(key, "another process", { leaseSeconds: 1, ttlSeconds: 60 });

    expect(refused.json.code).toBe("no_transaction");
    expect([held, value]).toEqual([true, undefined]);
  });

  test("a right code logs in while the next code is being sent", async () => {
    const sending = createBarrier();
    const { browser, service } = await setUpStarted(platform);
    const before = newestCode(service);
    service.onCreate = sending.hold(undefined);
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
    { how: "fails", answer: { status: 422, body: {} }, code: "send_failed" },
    { how: "is accepted after it", answer: undefined, code: undefined },
  ])("when two sends overlap, the newest code is right, even if the older send $how", async ({ answer, code }) => {
    const slow = createBarrier();
    const { browser, service } = await setUpStarted(platform);
    service.onCreate = async ({ id }) => {
      if (id !== "ver_2") return undefined;
      await slow.pass();
      return answer;
    };
    const resending = browser.copy().post("/login/resend");
    await slow.arrived(1);
    await browser.post("/login/resend");
    const newest = newestCode(service);
    slow.open();
    const older = await resending;
    const confirmed = await browser.post("/login/confirm", { code: newest });

    expect([older.json.code, confirmed.json.status]).toEqual([code, "logged_in"]);
    expect(service.confirmations.every(({ id }) => id === "ver_3")).toBe(true);
  });

  test("when two sends of a new code overlap, the code of the newer one is right, also if the older one fails after it", async () => {
    const slow = createBarrier();
    const { browser, service, clock } = await setUpStarted(platform);
    await clock.advance(200_000);
    await browser.post("/login/resend");
    // From now on the app's code is another one too.
    await clock.advance(100_000);
    service.onCreate = async ({ id }) => {
      if (!id.endsWith("_3")) return undefined;
      await slow.pass();
      return { status: 422, body: {} };
    };
    const older = browser.copy().post("/login/resend");
    await slow.arrived(1);
    await browser.post("/login/resend");
    const code = newestCode(service);
    slow.open();
    await older;
    expect((await browser.post("/login/confirm", { code })).json.status).toBe("logged_in");
  });

  test.each([
    { how: "is surely not sent", status: 422, code: "send_failed" },
    { how: "may be on its way", status: 500, code: "service_unavailable" },
  ])("when two sends overlap, and the newer one $how, the code of the older one is right", async ({ status, code }) => {
    const [older, newer] = [createBarrier(), createBarrier()];
    const { browser, service } = await setUpStarted(platform);
    service.onCreate = async ({ id }) => {
      if (id.endsWith("_2")) await older.pass();
      if (id.endsWith("_3")) await newer.pass();
      return id.endsWith("_3") ? { status, body: {} } : undefined;
    };
    const accepted = browser.copy().post("/login/resend");
    await older.arrived(1);
    const refused = browser.copy().post("/login/resend");
    await newer.arrived(1);
    older.open();
    const outcomes = [outcomeOf(await accepted)];
    newer.open();
    outcomes.push(outcomeOf(await refused));
    const confirmed = await browser.post("/login/confirm", { code: newestCode(service) });

    expect([...outcomes, confirmed.json.status]).toEqual(["code_sent", code, "logged_in"]);
    expect(service.confirmations.every(({ id }) => id.endsWith("_2"))).toBe(true);
  });

  test("two resends at the same time have two numbers, by which the app tells its sends apart", async () => {
    const app = platform.deploy();
    const writing = createBarrier();
    let isHeld = false;
    // Both have read the newest code before one of them replaces it.
    const store = interceptStore(app.connect(), async ({ what }, ask) => {
      if (isHeld && what === "put newest-code") await writing.pass();
      return ask();
    });
    const numbers: number[] = [];
    const codes = appCodes({ send: ({ sendNumber }) => void numbers.push(sendNumber) });
    const { browser } = await setUpStarted(platform, { app, store, codes });
    isHeld = true;
    const resends = [browser.copy(), browser.copy()].map((copy) => copy.post("/login/resend"));
    await writing.arrived(2);
    writing.open();
    const answers = await Promise.all(resends);

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(numbers.toSorted()).toEqual([1, 2, 3]);
  });

  test("a resend whose login ends while the app decides sends nothing and uses no budget", async () => {
    const deciding = createBarrier();
    const { browser, open, service } = await setUpStarted(platform, {
      login: {
        limits: { cooldownSeconds: 0, sendsPerPhone: 2 },
        beforeSend: async ({ resend }) => {
          if (resend) await deciding.pass();
          return null;
        },
      },
    });
    const resending = browser.copy().post("/login/resend");
    await deciding.arrived(1);
    await browser.post("/login/cancel");
    deciding.open();
    const refused = await resending;
    const next = await open().post("/login/start", { phone });

    expect([refused.json.code, next.json.status, service.created.length]).toEqual(["no_transaction", "code_sent", 2]);
  });

  test("a login that another process has taken over is not counted as confirmed by the one that has lost it", async () => {
    const app = platform.deploy();
    const entries = app.connect();
    const calls: string[] = [];
    const store = interceptStore(entries, async ({ what, keys: [key = ""] }, ask) => {
      calls.push(what);
      if (what === "settle transaction") await entries.put(key, undefined, { ttlSeconds: 1 });
      return ask();
    });
    const { browser, service } = await setUpStarted(platform, { app, store });
    calls.length = 0;
    const { json } = await browser.post("/login/confirm", { code: newestCode(service) });
    const afterwards = calls.slice(calls.indexOf("settle transaction") + 1);
    expect([json.code, afterwards.filter((what) => what.startsWith("increment"))]).toEqual(["login_superseded", []]);
  });

  test("a login that another login of its number ended sends no more codes", async () => {
    const { browser: other, started, service, clock } = await setUpStarted(platform);
    await clock.advance(1000);
    const browser = await started();
    await clock.advance(1000);
    await browser.post("/login/confirm", { code: newestCode(service) });
    const sent = service.created.length;

    expect((await other.post("/login/resend")).json.code).toBe("no_transaction");
    expect((await other.get("/login/state")).json.status).toBe("none");
    expect(service.created).toHaveLength(sent);
  });

  test("a login that began before another one was completed ends with it, also if the app allows its code later", async () => {
    const deciding = createBarrier();
    let asked = 0;
    const {
      browser: other,
      open,
      service,
      clock,
    } = await setUpStarted(platform, {
      login: {
        beforeSend: async () => {
          if (asked++ === 1) await deciding.pass();
          return null;
        },
      },
    });
    const code = newestCode(service);
    const browser = open();
    const starting = browser.post("/login/start", { phone });
    await deciding.arrived(1);
    await clock.advance(1000);
    const completed = await other.post("/login/confirm", { code });
    await clock.advance(1000);
    deciding.open();
    await starting;
    const confirmed = await browser.post("/login/confirm", { code: newestCode(service) });

    expect([completed.json.status, confirmed.json.code]).toEqual(["logged_in", "no_transaction"]);
  });
});

describe.each(everyStore(1))("a login across two processes on $name, codes of $owner", (platform) => {
  /** Starts two processes of one app, each with its own client of the store; both use one service. */
  async function setUpTwo(options: LoginSetupOptions = {}) {
    const app = platform.deploy();
    const first = await setUpLogin(platform, { app, ...options });
    const second = await setUpLogin(platform, { app, service: first.service, ...options });
    return { first, second, service: first.service };
  }

  /** The same browser, which a load balancer sends to another process. */
  const at = ({ url }: LoginSetup, { cookies }: Browser) => openBrowser(url, cookies);

  test("starts on one process, counts attempts on both, completes on the other, and is then over on both", async () => {
    const { first, second, service } = await setUpTwo();
    const browser = await first.started();
    const earlier = browser.copy();
    const code = newestCode(service);
    const tries = [
      await browser.post("/login/confirm", { code: wrongCode(service) }),
      await at(second, browser).post("/login/confirm", { code: wrongCode(service) }),
    ];
    const confirmed = await at(second, browser).post("/login/confirm", { code });

    expect(tries.map(({ json }) => json.attemptsLeft)).toEqual([4, 3]);
    expect(confirmed.json).toMatchObject({ status: "logged_in", userId: `user of ${phone}` });
    expect((await browser.get("/account")).status).toBe(200);
    expect((await earlier.post("/login/confirm", { code })).json.code).toBe("no_transaction");
    expect([first.logins.length, second.logins.length]).toEqual([0, 1]);
  });

  test("L14, L15: both processes share the number's budget of sends", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 3 };
    const { first, second, service } = await setUpTwo({ login: { limits } });
    const starts = [];
    for (const { open } of [first, second, first, second]) {
      starts.push(await open().post("/login/start", { phone }));
    }

    expect(starts.map(outcomeOf)).toEqual(["code_sent", "code_sent", "code_sent", "send_limit_reached"]);
    expect(service.created).toHaveLength(3);
  });
});
