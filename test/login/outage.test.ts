import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { newestCode, phone, setUpLogin, wrongCode } from "../support/login-bench.ts";
import { places } from "../support/places.ts";
import { refusal, type ServiceAnswer } from "../support/scripted-service.ts";
import { cases } from "./cases.ts";

describe.each(places)("a service that cannot judge a code, on $name", (place) => {
  test.each<{ what: string; answer: ServiceAnswer; code: string; retryAfter: string }>([
    { what: "5xx", answer: { status: 503, body: {} }, code: "service_unavailable", retryAfter: "2" },
    {
      what: "429",
      answer: { status: 429, body: {}, headers: { "retry-after": "7" } },
      code: "service_rate_limited",
      retryAfter: "7",
    },
    { what: "a refused API key", answer: { status: 401, body: {} }, code: "service_unavailable", retryAfter: "2" },
  ])("L18: $what uses the attempt and keeps the login; the same code may be tried again", async (given) => {
    const { started, service } = await setUpLogin(place);
    const browser = await started();
    service.onConfirm = () => given.answer;
    const failed = await browser.post("/login/confirm", { code: service.code });
    const { attemptsLeft } = (await browser.get("/login/state")).json;
    service.onConfirm = () => undefined;
    const again = await browser.post("/login/confirm", { code: service.code });

    expect([failed.status, failed.json.code, failed.headers.get("retry-after")]).toEqual([
      503,
      given.code,
      given.retryAfter,
    ]);
    expect(attemptsLeft).toBe(4);
    expect(again.json.status).toBe("logged_in");
  });

  test("L18: a time-out is unknown: the attempt is used and the same code may be tried again", async () => {
    const { started, service, clock } = await setUpLogin(place);
    const browser = await started();
    const asked = createBarrier();
    service.onConfirm = async () => {
      await asked.pass();
      return undefined;
    };
    const waiting = browser.post("/login/confirm", { code: service.code });
    await asked.arrived(1);
    await clock.advance(10_000);
    const timedOut = await waiting;
    service.onConfirm = () => undefined;
    const again = await browser.post("/login/confirm", { code: service.code });
    asked.open();

    expect([timedOut.status, timedOut.json.code]).toEqual([503, "service_unavailable"]);
    expect(again.json.status).toBe("logged_in");
  });

  test.each([
    { what: "404", answer: { status: 404, body: {} }, code: "no_transaction", told: ["login.code_ended"] },
    { what: "an expired code", answer: refusal("verify.expired"), code: "no_transaction", told: ["login.code_ended"] },
    { what: "too many attempts", answer: refusal("verify.max_attempts_reached"), code: "attempts_exhausted", told: [] },
  ])("L18: $what means to start again", async ({ answer, code, told }) => {
    const { started, service, events } = await setUpLogin(place);
    const browser = await started();
    service.onConfirm = () => answer;
    const refused = await browser.post("/login/confirm", { code: service.code });

    service.onConfirm = () => undefined;
    const again = await browser.post("/login/confirm", { code: service.code });

    expect([refused.json.code, again.json.code]).toEqual([code, "no_transaction"]);
    expect((await browser.get("/login/state")).json.status).toBe("none");
    expect(events.map((event) => event.type).filter((type) => type === "login.code_ended")).toEqual(told);
  });

  test.each<{ what: string; answer: ServiceAnswer }>([
    { what: "success false", answer: { status: 200, body: { success: false, message: "" } } },
    { what: 'success "true"', answer: { status: 200, body: { success: "true", message: "" } } },
    { what: "success 1", answer: { status: 200, body: { success: 1, message: "" } } },
    { what: "an empty object", answer: { status: 200, body: {} } },
    { what: "a text", answer: { status: 200, body: "<html>true</html>" } },
    { what: "success in a 302", answer: { status: 302, body: { success: true } } },
  ])("W18: $what approves nothing", async ({ answer }) => {
    const { started, service, logins } = await setUpLogin(place);
    const browser = await started();
    service.onConfirm = () => answer;
    const refused = await browser.post("/login/confirm", { code: service.code });

    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(logins).toHaveLength(0);
    expect((await browser.get("/account")).status).toBe(401);
  });

  test("a send that surely failed gives the number's budget back", async () => {
    const limits = { cooldownSeconds: 30, sendsPerPhone: 1 };
    const { open, service } = await setUpLogin(place, { login: { limits } });
    service.onCreate = () => ({ status: 422, body: { error_code: "message.sender_not_registered" } });
    const refused = await open().post("/login/start", { phone });
    service.onCreate = () => undefined;
    const again = await open().post("/login/start", { phone });

    expect([refused.status, refused.json.code]).toEqual([502, "send_failed"]);
    expect(again.status).toBe(200);
  });

  test("a send whose outcome nobody knows keeps the number's budget", async () => {
    const limits = { cooldownSeconds: 30, sendsPerPhone: 1 };
    const { open, service } = await setUpLogin(place, { login: { limits } });
    service.onCreate = () => ({ status: 500, body: {} });
    const unknown = await open().post("/login/start", { phone });
    const again = await open().post("/login/start", { phone });

    expect([unknown.status, unknown.json.code]).toEqual([503, "service_unavailable"]);
    expect(again.status).toBe(429);
  });
});

describe.each(cases)(
  "an app that fails after the approval, on $place.name, codes owned by $owner",
  ({ place, codes, owner }) => {
    test("L19: the same code finishes the login, once, without asking the service, also as the last attempt", async () => {
      const calls: string[] = [];
      const { started, service } = await setUpLogin(place, {
        codes,
        login: {
          onLogin: ({ loginId }) => {
            calls.push(loginId);
            if (calls.length === 1) throw new Error("the database was down");
            return "user_1";
          },
        },
      });
      const browser = await started();
      for (let attempt = 0; attempt < 4; attempt++) await browser.post("/login/confirm", { code: wrongCode(service) });
      const asked = service.confirmations.length;
      const unfinished = await browser.post("/login/confirm", { code: newestCode(service) });
      const finished = await browser.post("/login/confirm", { code: newestCode(service) });
      const beyond = await browser.copy().post("/login/confirm", { code: newestCode(service) });

      expect([unfinished.status, unfinished.json.code]).toEqual([503, "login_unfinished"]);
      expect(unfinished.headers.get("retry-after")).toBe("1");
      expect(finished.json).toMatchObject({ status: "logged_in", userId: "user_1" });
      expect(beyond.json.code).toBe("no_transaction");
      expect(new Set(calls).size).toBe(1);
      expect(service.confirmations.length - asked).toBe(owner === "the service" ? 1 : 0);
    });

    test("L19: another code than the approved one does not finish it", async () => {
      const { started, service } = await setUpLogin(place, {
        codes,
        login: { onLogin: () => Promise.reject(new Error("down")) },
      });
      const browser = await started();
      await browser.post("/login/confirm", { code: newestCode(service) });
      const answer = await browser.post("/login/confirm", { code: wrongCode(service) });
      expect(answer.json.code).toBe("code_rejected");
    });

    test("L19: a callback that never settles is given up after ten seconds, its signal aborted", async () => {
      const called = createBarrier();
      const signals: AbortSignal[] = [];
      const { started, service, clock } = await setUpLogin(place, {
        codes,
        login: {
          onLogin: async (_proof, { signal }) => {
            signals.push(signal);
            if (signals.length === 1) await called.pass();
            return "user_1";
          },
        },
      });
      const browser = await started();
      const hanging = browser.post("/login/confirm", { code: newestCode(service) });
      await called.arrived(1);
      await clock.advance(10_000);
      const unfinished = await hanging;
      const finished = await browser.post("/login/confirm", { code: newestCode(service) });
      called.open();

      expect(unfinished.json.code).toBe("login_unfinished");
      expect(signals[0]?.aborted).toBe(true);
      expect(finished.json.status).toBe("logged_in");
    });

    test("a refusing app answers login_refused, and the transaction is over", async () => {
      const { started, service } = await setUpLogin(place, { codes, login: { onLogin: () => undefined } });
      const browser = await started();
      const earlier = browser.copy();
      const refused = await browser.post("/login/confirm", { code: newestCode(service) });
      const again = await earlier.post("/login/confirm", { code: newestCode(service) });

      expect([refused.status, refused.json.code]).toEqual([403, "login_refused"]);
      expect(again.json.code).toBe("no_transaction");
      expect((await browser.get("/account")).status).toBe(401);
    });
  },
);
