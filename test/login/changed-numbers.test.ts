import { createDoorcode, type LoginProof, serviceCodes } from "@doorcode/core";
import type { ProvenBy } from "@doorcode/core/adapter";
import { createManualClock } from "@doorcode/core/testing";
import { phoneLogin } from "@doorcode/fetch";
import { describe, expect, onTestFinished, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import type { Browser } from "../support/browser.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { postTo } from "../support/fetch-mount.ts";
import { newestCode, otherPhone, password, phone, setUpLogin } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";
import { startScriptedService } from "../support/scripted-service.ts";

const oneDay = 86_400_000;
const thirdPhone = "+4915123456781";

describe.each(inMemory)("a number that may have a new owner, on $name, codes of $owner", (platform) => {
  /** Starts an app that notes what its callbacks learn. */
  async function setUp(given: { suspicionAfterSeconds?: number; onSuspicion?: (proof: LoginProof) => unknown } = {}) {
    const learned: LoginProof[] = [];
    const suspected: LoginProof[] = [];
    const login = await setUpLogin(platform, {
      login: {
        onLogin: (proof) => {
          learned.push(proof);
          return `user of ${proof.phone}`;
        },
        onSuspicion: (proof) => {
          suspected.push(proof);
          return (given.onSuspicion ?? (() => true))(proof) as boolean;
        },
        ...(given.suspicionAfterSeconds !== undefined && { suspicionAfterSeconds: given.suspicionAfterSeconds }),
      },
    });
    async function logIn(browser: Browser, number = phone) {
      await login.clock.advance(1000);
      await browser.post("/login/start", { phone: number });
      const { json, status } = await browser.post("/login/confirm", { code: newestCode(login.service) });
      await browser.post("/login/logout");
      return json.code ?? json.status ?? status;
    }
    return { ...login, learned, suspected, logIn };
  }

  test("onLogin learns when the number was last proven in any browser, and whether in this one", async () => {
    const { open, clock, learned, logIn } = await setUp();
    const [own, other] = [open(), open()];
    await logIn(own);
    const first = clock.now();
    await clock.advance(30 * oneDay);
    await logIn(own);
    const second = clock.now();
    await clock.advance(10 * oneDay);
    await logIn(other);

    expect(learned).toMatchObject([
      { phone, lastProvenAt: undefined, knownDevice: false },
      { phone, knownDevice: true },
      { phone, knownDevice: false },
    ]);
    expect(Math.abs((learned[1]?.lastProvenAt ?? 0) - first)).toBeLessThanOrEqual(2000);
    expect(Math.abs((learned[2]?.lastProvenAt ?? 0) - second)).toBeLessThanOrEqual(2000);
  });

  test("onSuspicion is asked about a new device after 180 days, and about a number without a past, and lets them pass", async () => {
    const { open, clock, suspected, learned, logIn } = await setUp();
    await logIn(open());
    await clock.advance(179 * oneDay);
    await logIn(open());
    await clock.advance(181 * oneDay);
    await logIn(open());

    expect(suspected.map(({ lastProvenAt }) => lastProvenAt !== undefined)).toEqual([false, true]);
    expect(learned).toHaveLength(3);
    expect(suspected[1]).toEqual(learned[2]);
  });

  test("onSuspicion is not asked about a device that has proven the number, however long ago within 180 days", async () => {
    const { open, clock, suspected, logIn } = await setUp({ suspicionAfterSeconds: 0 });
    const own = open();
    await logIn(own);
    await clock.advance(170 * oneDay);
    await logIn(own);
    expect(suspected).toHaveLength(1);
  });

  test("a login that onSuspicion refuses does not reach onLogin, and makes neither device nor number known", async () => {
    const { open, clock, suspected, learned, logIn } = await setUp({
      onSuspicion: ({ lastProvenAt }) => lastProvenAt === undefined,
    });
    await logIn(open());
    await clock.advance(200 * oneDay);
    // A device with a cookie, that of a login with another number.
    const stranger = open();
    await logIn(stranger, otherPhone);
    const refusals = [await logIn(stranger), await logIn(stranger)];

    expect(refusals).toEqual(["login_refused", "login_refused"]);
    expect(suspected.slice(-2)).toMatchObject(Array(2).fill({ phone, knownDevice: false }));
    expect(suspected.at(-1)?.lastProvenAt).toBeLessThan(clock.now() - 199 * oneDay);
    expect(learned.map((proof) => proof.phone)).toEqual([phone, otherPhone]);
  });

  test("an onSuspicion that answers after ten seconds comes too late: onLogin is not asked", async () => {
    const asking = createBarrier();
    const { started, service, clock, learned } = await setUp({ onSuspicion: asking.hold(true) });
    const browser = await started();
    const confirming = browser.post("/login/confirm", { code: newestCode(service) });
    await asking.arrived(1);
    await clock.advance(10_000);
    const unfinished = await confirming;
    asking.open();
    await clock.advance(0);

    expect(unfinished.json.code).toBe("login_unfinished");
    expect(learned).toEqual([]);
  });
});

describe.each(inMemory)("changing the number of an account, on $name, codes of $owner", (platform) => {
  /** Starts an app whose accounts have a number that a link replaces. */
  async function setUp(numbers: Record<string, string | undefined> = {}) {
    const app = platform.deploy();
    const failing = createFailingStore(app);
    const linked: { readonly phone: string; readonly oldPhone: string | undefined }[] = [];
    const userId = `user of ${phone}`;
    const account: { phone: string | undefined } = { phone, ...numbers };
    const login = await setUpLogin(platform, {
      app,
      store: failing.store,
      account: true,
      login: {
        onLink: (link) => {
          linked.push({ phone: link.phone, oldPhone: link.oldPhone });
          account.phone = link.phone;
          return link.userId;
        },
        phoneOf: (id) => (id === userId ? account.phone : undefined),
      },
    });
    /** Logs in, so long ago. */
    async function loggedIn(secondsAgo: number) {
      const browser = await login.loggedIn();
      await login.clock.advance(secondsAgo * 1000);
      return browser;
    }
    const confirm = async (browser: Browser, mount: string) => {
      const { json } = await browser.post(`${mount}/confirm`, { code: newestCode(login.service) });
      return json.code ?? json.status;
    };
    return { ...login, app, failing, linked, account, loggedIn, confirm };
  }

  test("needs a proof of the old number within 15 minutes, by the login or a step-up, and sends nothing without", async () => {
    const { loggedIn, service, clock, linked, confirm } = await setUp();
    const browser = await loggedIn(901);
    const sent = service.created.length;
    const old = await browser.post("/link/start", { phone: otherPhone });
    const sentWithout = service.created.length - sent;
    await browser.post("/step-up/start");
    await confirm(browser, "/step-up");
    await clock.advance(900_000);
    const recent = await browser.post("/link/start", { phone: otherPhone });

    expect([old.status, old.json.code, sentWithout]).toEqual([403, "proof_required", 0]);
    expect(recent.status).toBe(200);
    expect(await confirm(browser, "/link")).toBe("logged_in");
    // The app can tell the old number.
    expect(linked).toEqual([{ phone: otherPhone, oldPhone: phone }]);
  });

  test("an account without a number, or with this one, needs no such proof", async () => {
    const without = await setUp({ phone: undefined });
    const browser = await without.loggedIn(1000);
    await browser.post("/link/start", { phone: otherPhone });
    const first = await without.confirm(browser, "/link");
    await without.clock.advance(1000_000);
    await browser.post("/link/start", { phone: otherPhone });

    expect([first, await without.confirm(browser, "/link")]).toEqual(["logged_in", "logged_in"]);
    expect(without.linked).toEqual(Array(2).fill({ phone: otherPhone, oldPhone: undefined }));
  });

  test("L31: a link ends when the account gets another number meanwhile, and onLink is not asked", async () => {
    const { loggedIn, account, linked, confirm } = await setUp({ phone: undefined });
    const browser = await loggedIn(1000);
    await browser.post("/link/start", { phone: otherPhone });
    account.phone = thirdPhone;
    const resent = await browser.post("/link/resend");

    expect([resent.json.code, await confirm(browser, "/link")]).toEqual(["session_changed", "session_changed"]);
    expect(linked).toEqual([]);
  });

  test("L19: a link that could not be finished after onLink has stored the number is finished by the same code", async () => {
    const { loggedIn, app, failing, linked, confirm } = await setUp();
    const browser = await loggedIn(1);
    await browser.post("/link/start", { phone: otherPhone });
    failing.failOn(({ what }) => what === "put session");
    const unfinished = await confirm(browser, "/link");
    await app.atRest();
    failing.repair();

    expect([unfinished, await confirm(browser, "/link")]).toEqual(["store_unavailable", "logged_in"]);
    expect(linked).toEqual(Array(2).fill({ phone: otherPhone, oldPhone: phone }));
  });
});

describe("changing the number in an app with sessions of its own", () => {
  const clock = createManualClock();

  async function openLink(provenAt: number | undefined, provenBy?: ProvenBy) {
    const started: unknown[] = [];
    const service = await startScriptedService();
    onTestFinished(() => service.close());
    const doorcode = createDoorcode({
      name: `own${String(provenAt)}${provenBy ?? ""}`,
      clock,
      service: { baseUrl: service.url, apiKey: "key_of_the_tests" },
      login: {
        password,
        countries: ["DE"],
        codes: serviceCodes({ template: "login" }),
        onLink: ({ userId }) => userId,
        phoneOf: () => phone,
      },
    });
    const link = phoneLogin(doorcode, {
      basePath: "/link",
      purpose: "link",
      session: {
        start: (login) => void started.push([login.provenAt, login.provenBy]),
        current: () => ({ userId: "user_1", provenAt, provenBy }),
        end: () => undefined,
      },
    });
    let cookie = "";
    async function post(step: string, body: object): Promise<unknown> {
      const answer = await postTo(link, `/link/${step}`, body, cookie);
      cookie = answer.cookie || cookie;
      return answer.json.code ?? answer.json.status;
    }
    return { service, started, post };
  }

  test("asks for the proof that its session tells, and a session that tells none has none", async () => {
    const outcomes = [];
    for (const provenAt of [clock.now() - 899_000, clock.now() - 901_000, undefined]) {
      outcomes.push(await (await openLink(provenAt)).post("start", { phone: otherPhone }));
    }
    expect(outcomes).toEqual(["code_sent", "proof_required", "proof_required"]);
  });

  test.each([
    [undefined, "phone"],
    ["passkey", "passkey"],
  ] as const)(
    "keeps the old proof, since a number that is added proves nothing about the account: %s",
    async (provenBy, kept) => {
      const provenAt = clock.now() - 60_000;
      const { post, service, started } = await openLink(provenAt, provenBy);
      await post("start", { phone: otherPhone });
      expect(await post("confirm", { code: service.code })).toBe("logged_in");
      expect(started).toEqual([[provenAt, kept]]);
    },
  );
});
