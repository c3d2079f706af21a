import { describe, expect, test } from "vitest";
import type { Answer, Browser } from "../../support/browser.ts";
import { beginRequest } from "../../support/raw-post.ts";
import { requestToHost } from "../../support/request-to-host.ts";
import { type AdapterSetup, phone, setUp, signed } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

/** What a wait schedules: its end, and the next look at the store. */
const tasksOfWait = 2;

/** Limits that let one number log in again and again. */
const limits = { cooldownSeconds: 0, checkPauseSeconds: 0, sendsPerPhone: 100, sendsPerPhonePerDay: 100 };

/** A browser with a login under way, and the version of the state that it shows. */
async function started({ open }: Pick<AdapterSetup, "open">): Promise<{ browser: Browser; version: string }> {
  const browser = open();
  const { status, json } = await browser.post("/login/start", { phone });
  expect(status).toBe(200);
  return { browser, version: String(json.version) };
}

/** Asks for a state with another version. */
function ask(browser: Browser, after: unknown, waitSeconds: number | string = 20): Promise<Answer> {
  return browser.get(`/login/state?after=${after}&waitSeconds=${waitSeconds}`);
}

/** Resolves when so many requests wait. */
async function waiting({ clock }: Pick<AdapterSetup, "clock">, count: number): Promise<void> {
  await expect.poll(() => clock.pending).toBe(count * tasksOfWait);
}

/** Reports the code as delivered, as the service does. */
async function deliver({ open, clock, service }: AdapterSetup): Promise<void> {
  const data = {
    verification_id: service.created.at(-1)?.id,
    status: "PENDING",
    channel: "SMS",
    channel_status: "DELIVERED",
    updated_at: new Date(clock.now()).toISOString(),
  };
  const body = JSON.stringify({ event: "verification.update", data });
  const { status } = await open().send("/webhooks", { method: "POST", headers: signed(body, clock.now()), body });
  expect(status).toBe(204);
}

/** GET `/state` that waits for a change. */
export function describeWaiting(host: AdapterHost): void {
  describe("a request for the state that waits", () => {
    test("is answered as soon as a webhook reports something, without a moment of the clock", async () => {
      const setup = await setUp(host, { login: { limits } });
      const { browser, version } = await started(setup);
      const asked = ask(browser, version);
      await waiting(setup, 1);
      await deliver(setup);
      const { status, json, headers } = await asked;

      expect([status, json.delivery]).toEqual([
        200,
        { status: "delivered", channel: "SMS", attempts: [{ channel: "SMS", status: "delivered" }] },
      ]);
      expect(json.version).not.toBe(version);
      expect(headers.get("cache-control")).toBe("no-store, no-transform");
      expect(headers.get("x-accel-buffering")).toBe("no");
      expect(headers.get("retry-after")).toBeNull();
      await waiting(setup, 0);
    });

    test.each([
      ["in chunks", [] as const],
      ["with a length", [["content-length", "60000"]] as const],
    ])("W20: is answered at once if it has a body %s, which nobody reads", async (_how, lines) => {
      const setup = await setUp(host);
      const { browser, version } = await started(setup);
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const address = `${setup.url}/login/state?after=${version}&waitSeconds=20`;
      const get = beginRequest("GET", address, [["cookie", cookie], ...lines]);
      get.write("{}");
      const { status, text } = await get.answer();
      get.destroy();
      expect([status, JSON.parse(text).version]).toEqual([200, version]);
    });

    test("ends at once when its client hangs up", async () => {
      const setup = await setUp(host, { login: { limits } });
      const { browser, version } = await started(setup);
      const client = new AbortController();
      const asked = browser.send(`/login/state?after=${version}&waitSeconds=20`, { signal: client.signal });
      const left = expect(asked).rejects.toThrow();
      await waiting(setup, 1);
      client.abort();
      await left;
      await waiting(setup, 0);
      expect(setup.faults).toEqual([]);
    });

    test("is answered when the kit closes, so that the server can close, and no other one waits then", async () => {
      const setup = await setUp(host, { login: { limits } });
      const { browser, version } = await started(setup);
      const asked = ask(browser, version);
      await waiting(setup, 1);
      await setup.doorcode.close();
      const { status, json, headers } = await asked;
      const late = await ask(browser, version);

      expect([status, json.version, headers.get("retry-after")]).toEqual([200, version, "5"]);
      expect(headers.get("connection")).toBe("close");
      expect([late.json.version, late.headers.get("retry-after")]).toEqual([version, "5"]);
    });
  });

  describe("the offer of a login", () => {
    test("is public, is kept by its browser alone, and is the same for a page of the app", async () => {
      const { open } = await setUp(host, { login: { countries: ["DE", "AT"] } });
      const { status, json, headers } = await open().get("/login/offer");
      const offered = await open().get("/offered");
      const posted = await open().post("/login/offer");

      // Sessions of an app may send their cookie with this answer too, and a shared cache would hand it out.
      expect([status, headers.get("cache-control")]).toEqual([200, "private, max-age=300"]);
      expect(json).toEqual({
        countries: [
          { country: "DE", callingCode: "49", example: "01512 3456789" },
          { country: "AT", callingCode: "43", example: "0664 123456" },
        ],
        codeLength: null,
      });
      expect(offered.json).toEqual(json);
      expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    });

    test("L32: is told to this machine only, when the kit has no origins", async () => {
      const { url } = await setUp(host);
      const { status, json } = await requestToHost(`${url}/login/offer`, { headers: { host: "app.example.com" } });
      expect([status, json.code]).toEqual([403, "host_not_allowed"]);
    });
  });
}

/** What GET `/state` waits for, which the framework has no part in. */
export function describeWaits(host: AdapterHost): void {
  describe("the state that a request waits for", () => {
    test("is answered as soon as another tab uses up an attempt, gets another code, cancels or logs in", async () => {
      const setup = await setUp(host, { login: { limits } });
      const acts: readonly [act: (tab: Browser) => Promise<Answer>, seen: object][] = [
        [(tab) => tab.post("/login/confirm", { code: "000000" }), { status: "code_sent", attemptsLeft: 4 }],
        [(tab) => tab.post("/login/resend"), { status: "code_sent" }],
        [(tab) => tab.post("/login/confirm", { code: setup.service.code }), { status: "none" }],
        [(tab) => tab.post("/login/cancel"), { status: "none" }],
        [(tab) => tab.post("/login/logout"), { status: "none" }],
      ];
      for (const [act, seen] of acts) {
        const { browser, version } = await started(setup);
        const asked = ask(browser, version);
        await waiting(setup, 1);
        await act(browser.copy());
        expect((await asked).json).toMatchObject(seen);
        // A login that begins at the instant at which another one of its number is completed ends with it.
        await setup.clock.advance(1000);
      }
    });

    test("is answered with the same state when its time is over, at the latest after 25 seconds", async () => {
      const setup = await setUp(host, { login: { limits } });
      const { browser, version } = await started(setup);
      for (const [waitSeconds, seconds] of [
        [20, 20],
        [99, 25],
      ] as const) {
        let answered = false;
        const asked = ask(browser, version, waitSeconds).finally(() => {
          answered = true;
        });
        await waiting(setup, 1);
        await setup.clock.advance((seconds - 1) * 1000);
        expect(answered).toBe(false);
        await setup.clock.advance(1000);
        const { status, json, headers } = await asked;
        expect([status, json.version, headers.get("retry-after")]).toEqual([200, version, null]);
      }
    });

    test("is answered when the time to enter the code is over", async () => {
      const setup = await setUp(host, { login: { limits } });
      const { browser, version } = await started(setup);
      await setup.clock.advance(597_000);
      const asked = ask(browser, version);
      await waiting(setup, 1);
      await setup.clock.advance(3000);
      expect((await asked).json.status).toBe("none");
    });

    test("waits for nothing without a version, a number of seconds or a code on its way, and with another version", async () => {
      const setup = await setUp(host, { login: { limits } });
      const { browser, version } = await started(setup);
      const none = await setup.open().get("/login/state");
      const answers = await Promise.all([
        browser.get(`/login/state?after=${version}`),
        browser.get("/login/state?waitSeconds=20"),
        ask(browser, version, 0),
        ask(browser, version, "soon"),
        ask(browser, version, -1),
        ask(browser, "another"),
        browser.send(`/login/state?after=${version}&waitSeconds=20`, { method: "HEAD" }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const ofNobody = await ask(setup.open(), none.json.version);
      expect(ofNobody.json).toEqual({ status: "none", version: none.json.version });
    });

    test("is refused without a wait beyond four of one login, and says when to ask again", async () => {
      const setup = await setUp(host, { login: { limits } });
      const { browser, version } = await started(setup);
      const asked = [1, 2, 3, 4].map(() => ask(browser, version));
      await waiting(setup, 4);
      const fifth = await ask(browser, version);
      const ofOther = await started(setup);
      const other = ask(ofOther.browser, ofOther.version);
      await waiting(setup, 5);
      await setup.clock.advance(20_000);

      expect([fifth.status, fifth.json.version, fifth.headers.get("retry-after")]).toEqual([200, version, "5"]);
      for (const answer of [...asked, other]) expect((await answer).headers.get("retry-after")).toBeNull();
      // Their places are free again.
      const later = ask(browser, version);
      await waiting(setup, 1);
      await setup.clock.advance(20_000);
      expect((await later).headers.get("retry-after")).toBeNull();
    });

    test("is refused without a wait beyond `maxWaits` of a process", async () => {
      const setup = await setUp(host, { login: { limits, maxWaits: 1 } });
      const [first, second] = [await started(setup), await started(setup)];
      const asked = ask(first.browser, first.version);
      await waiting(setup, 1);
      const refused = await ask(second.browser, second.version);
      await setup.clock.advance(20_000);
      await asked;
      const later = ask(second.browser, second.version);
      // A place is free again.
      await waiting(setup, 1);
      await deliver(setup);

      expect([refused.json.version, refused.headers.get("retry-after")]).toEqual([second.version, "5"]);
      expect((await later).json.delivery).not.toBeNull();
    });

    test("is refused with store_unavailable when the store fails meanwhile", async () => {
      const setup = await setUp(host, { login: { limits } });
      const { browser, version } = await started(setup);
      const asked = ask(browser, version);
      await waiting(setup, 1);
      setup.failing.failOn();
      await setup.clock.advance(5000);
      const { status, json } = await asked;
      expect([status, json.code]).toEqual([503, "store_unavailable"]);
      await waiting(setup, 0);
    });
  });
}
