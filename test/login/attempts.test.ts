import { systemClock } from "@doorcode/core/clock";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { secondsToWait } from "../support/browser.ts";
import { newestCode, phone, setUpLogin, wrongCode } from "../support/login-bench.ts";
import { places } from "../support/places.ts";
import { refusal, type ServiceAnswer } from "../support/scripted-service.ts";
import { cases } from "./cases.ts";

describe.each(cases)("attempts on $place.name, codes owned by $owner", ({ place, codes, owner }) => {
  test("L1: an earlier cookie gives back no attempt", async () => {
    const { started, service } = await setUpLogin(place, { codes });
    const browser = await started();
    const earlier = browser.copy();
    for (let attempt = 0; attempt < 5; attempt++) await browser.post("/login/confirm", { code: wrongCode(service) });

    const replayed = await earlier.post("/login/confirm", { code: newestCode(service) });
    expect(replayed.json.code).toBe("attempts_exhausted");
  });

  test("L1: an earlier cookie gives no second login", async () => {
    const { started, service, logins } = await setUpLogin(place, { codes });
    const browser = await started();
    const earlier = browser.copy();
    const confirmed = await browser.post("/login/confirm", { code: newestCode(service) });
    const replayed = await earlier.post("/login/confirm", { code: newestCode(service) });

    expect(confirmed.json).toMatchObject({ status: "logged_in", userId: `user of ${phone}` });
    expect(replayed.json.code).toBe("no_transaction");
    expect(logins).toHaveLength(1);
  });

  test("L1: an earlier cookie gives no second send", async () => {
    const limits = { cooldownSeconds: 30, sendsPerPhone: 2, failuresPerPhoneInTenMinutes: 100 };
    const { started, service, clock } = await setUpLogin(place, { codes, login: { limits } });
    const browser = await started();
    const earlier = browser.copy();
    const early = await browser.post("/login/resend");
    await clock.advance(30_000);
    const second = await browser.post("/login/resend");
    await clock.advance(30_000);
    const replayed = await earlier.post("/login/resend");

    expect([early.json.code, second.status, replayed.json.code]).toEqual(["cooldown", 200, "send_limit_reached"]);
    expect(secondsToWait(early)).toBeCloseTo(30, -1);
    expect(service.created).toHaveLength(2);
  });

  test("L2: of 100 parallel wrong codes exactly 5 are judged", { timeout: 30_000 }, async () => {
    const { started, service, events } = await setUpLogin(place, { codes });
    const browser = await started();
    const code = wrongCode(service);
    const answers = await Promise.all(Array.from({ length: 100 }, () => browser.post("/login/confirm", { code })));

    const codesAnswered = answers.map((answer) => answer.json.code);
    expect(codesAnswered.filter((answered) => answered === "code_rejected")).toHaveLength(5);
    expect(codesAnswered.filter((answered) => answered === "attempts_exhausted")).toHaveLength(95);
    expect(events.filter((event) => event.type === "login.code_rejected")).toHaveLength(5);
    expect(service.confirmations).toHaveLength(owner === "the service" ? 5 : 0);
  });

  test("L2: of 100 parallel right codes exactly one logs in", { timeout: 30_000 }, async () => {
    const { started, service, logins } = await setUpLogin(place, { codes, options: { clock: systemClock } });
    const browser = await started();
    const code = newestCode(service);
    const rivals = Array.from({ length: 100 }, () => browser.copy());
    const answers = await Promise.all(rivals.map((rival) => rival.post("/login/confirm", { code })));

    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(logins).toHaveLength(1);
  });

  test("L3: attempts stay counted while the login itself rolls back", async () => {
    const { started, service } = await setUpLogin(place, {
      codes,
      login: { onLogin: () => Promise.reject(new Error("the app's transaction rolled back")) },
    });
    const browser = await started();
    for (let attempt = 0; attempt < 4; attempt++) await browser.post("/login/confirm", { code: wrongCode(service) });
    const right = await browser.post("/login/confirm", { code: newestCode(service) });
    const last = await browser.post("/login/confirm", { code: wrongCode(service) });
    const beyond = await browser.post("/login/confirm", { code: wrongCode(service) });

    expect([right.json.code, last.json.code, beyond.json.code]).toEqual([
      "login_unfinished",
      "code_rejected",
      "attempts_exhausted",
    ]);
  });

  test("L4: neither a new code nor a new transaction refreshes the number's failures", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 100, failuresPerPhone: 6, failuresPerPhoneInTenMinutes: 100 };
    const { started, service } = await setUpLogin(place, { codes, login: { limits } });
    const first = await started();
    for (let attempt = 0; attempt < 3; attempt++) await first.post("/login/confirm", { code: wrongCode(service) });
    await first.post("/login/resend");
    for (let attempt = 0; attempt < 2; attempt++) await first.post("/login/confirm", { code: wrongCode(service) });
    const exhausted = await first.post("/login/confirm", { code: newestCode(service) });
    const second = await started();
    await second.post("/login/confirm", { code: wrongCode(service) });
    const gated = await second.post("/login/confirm", { code: newestCode(service) });

    expect(exhausted.json.code).toBe("attempts_exhausted");
    expect(gated.json.code).toBe("too_many_failures");
    expect(Number(gated.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("L4: a login refreshes the number's failures", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 100, failuresPerPhone: 3, failuresPerPhoneInTenMinutes: 100 };
    const { started, service, clock } = await setUpLogin(place, { codes, login: { limits } });
    for (let round = 0; round < 3; round++) {
      await clock.advance(1000);
      const browser = await started();
      for (let attempt = 0; attempt < 2; attempt++) await browser.post("/login/confirm", { code: wrongCode(service) });
      const confirmed = await browser.post("/login/confirm", { code: newestCode(service) });
      expect(confirmed.status).toBe(200);
    }
  });

  test("a code of letters, or of another length, is no attempt", async () => {
    const { started, service } = await setUpLogin(place, { codes });
    const browser = await started();
    for (const code of ["", "12", "abcdef", "12345678901", "12 3", "１２３４５６"]) {
      const answer = await browser.post("/login/confirm", { code });
      expect(answer.json.code).toBe("code_malformed");
    }
    const state = await browser.get("/login/state");
    expect(state.json.attemptsLeft).toBe(5);
    expect(service.confirmations).toHaveLength(0);
  });

  test("a code typed with gaps is the code", async () => {
    const { started, service } = await setUpLogin(place, { codes });
    const browser = await started();
    const [head, tail] = [newestCode(service).slice(0, 3), newestCode(service).slice(3)];
    const answer = await browser.post("/login/confirm", { code: ` ${head}-${tail} ` });
    expect(answer.status).toBe(200);
  });
});

describe.each(places)("a double click on $name", (place) => {
  test("L2: the second click meets the login that the first is finishing", async () => {
    const finishing = createBarrier();
    let calls = 0;
    const onLogin = async () => {
      calls++;
      await finishing.pass();
      return "user_1";
    };
    const { started, service } = await setUpLogin(place, { options: { clock: systemClock }, login: { onLogin } });
    const browser = await started();
    const first = browser.copy().post("/login/confirm", { code: service.code });
    await finishing.arrived(1);
    const second = browser.copy().post("/login/confirm", { code: service.code });
    finishing.open();

    expect((await first).status).toBe(200);
    expect((await second).json.code).toBe("no_transaction");
    expect(calls).toBe(1);
  });

  test.each<{ what: string; answer: ServiceAnswer }>([
    { what: "refuses the second click", answer: refusal("verify.invalid_code") },
    { what: "answers the second click what nobody can read", answer: { status: 200, body: { success: "true" } } },
    { what: "cannot judge the second click", answer: { status: 503, body: {} } },
  ])("L2: the service $what, and the remembered approval decides", async ({ answer }) => {
    let calls = 0;
    const onLogin = () => {
      calls++;
      if (calls === 1) throw new Error("the first finish fails");
      return "user_1";
    };
    const { started, service } = await setUpLogin(place, { login: { onLogin } });
    const browser = await started();
    const approval = createBarrier();
    const refused = createBarrier();
    service.onConfirm = async () => {
      const isFirst = service.confirmations.length === 1;
      await (isFirst ? approval : refused).pass();
      return isFirst ? undefined : answer;
    };
    const clicks = [browser.copy(), browser.copy()].map((copy) => copy.post("/login/confirm", { code: service.code }));
    await Promise.all([approval.arrived(1), refused.arrived(1)]);
    approval.open();
    const unfinished = await Promise.race(clicks);
    refused.open();
    const answers = await Promise.all(clicks);

    expect(unfinished.json.code).toBe("login_unfinished");
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 503]);
  });
});
