import { systemClock } from "@doorcode/core/store";
import { describe, expect, test } from "vitest";
import { advanceUntil } from "../support/advance-until.ts";
import { createBarrier } from "../support/barrier.ts";
import { type Browser, secondsToWait } from "../support/browser.ts";
import {
  type LoginSetup,
  newestCode,
  otherPhone,
  phone,
  serviceOwned,
  setUpLogin,
  setUpStarted,
  tryWrongCodes,
  wrongCode,
} from "../support/login-setup.ts";
import { inMemory, openPlatforms } from "../support/platforms.ts";
import { refusal, type ServiceAnswer } from "../support/scripted-service.ts";

const everyStore = await openPlatforms();

describe.each(inMemory)("attempts on $name, codes of $owner", (platform) => {
  test("L1: replaying an earlier cookie logs in only once", async () => {
    const { browser, service, logins } = await setUpStarted(platform);
    const earlier = browser.copy();
    const confirmed = await browser.post("/login/confirm", { code: newestCode(service) });
    const replayed = await earlier.post("/login/confirm", { code: newestCode(service) });

    expect(confirmed.json).toMatchObject({ status: "logged_in", userId: `user of ${phone}` });
    expect(replayed.json.code).toBe("no_transaction");
    expect(logins).toHaveLength(1);
  });

  test("L1: replaying an earlier cookie sends no more codes than the limit", async () => {
    const limits = { cooldownSeconds: 30, sendsPerPhone: 2, failuresPerPhoneInTenMinutes: 100 };
    const { browser, service, clock } = await setUpStarted(platform, { login: { limits } });
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

  test("L3: counts attempts even when the app rolls the login back", async () => {
    const { browser, service } = await setUpStarted(platform, {
      login: { onLogin: () => Promise.reject(new Error("the app's transaction rolled back")) },
    });
    for (let attempt = 0; attempt < 4; attempt++) await browser.post("/login/confirm", { code: wrongCode(service) });
    const right = await browser.post("/login/confirm", { code: newestCode(service) });
    const last = await browser.post("/login/confirm", { code: wrongCode(service) });
    const beyond = await browser.post("/login/confirm", { code: newestCode(service) });
    const state = await browser.get("/login/state");
    const again = await browser.post("/login/start", { phone });

    expect([right.json.code, last.json.code, beyond.json.code]).toEqual([
      "login_unfinished",
      "code_rejected",
      "attempts_exhausted",
    ]);
    expect([state.json.status, again.json.attemptsLeft, service.created.length]).toEqual(["none", 5, 2]);
  });

  test("L4: neither a new code nor a new login resets the failures counted for a number", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 100, failuresPerPhone: 6, failuresPerPhoneInTenMinutes: 100 };
    const { browser: first, started, service } = await setUpStarted(platform, { login: { limits } });
    for (let attempt = 0; attempt < 3; attempt++) await first.post("/login/confirm", { code: wrongCode(service) });
    await first.post("/login/resend");
    for (let attempt = 0; attempt < 2; attempt++) await first.post("/login/confirm", { code: wrongCode(service) });
    const exhausted = await first.post("/login/confirm", { code: newestCode(service) });
    const second = await started();
    await second.post("/login/confirm", { code: wrongCode(service) });
    const gated = await second.post("/login/confirm", { code: newestCode(service) });

    expect(exhausted.json.code).toBe("attempts_exhausted");
    // Where the app owns the codes, they get longer instead.
    expect([gated.status, gated.json.code, gated.headers.get("retry-after"), newestCode(service).length]).toEqual(
      platform.owner === "the service" ? [403, "phone_closed", null, 6] : [200, undefined, null, 10],
    );
  });

  test("L5: too many failures close a number for ten minutes, not for good", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 100, failuresPerPhoneInTenMinutes: 2 };
    const { browser: attacked, started, service, clock } = await setUpStarted(platform, { login: { limits } });
    for (let attempt = 0; attempt < 2; attempt++) await attacked.post("/login/confirm", { code: wrongCode(service) });
    const closed = await attacked.post("/login/confirm", { code: newestCode(service) });
    await clock.advance(601_000);
    const browser = await started();
    const confirmed = await browser.post("/login/confirm", { code: newestCode(service) });

    expect(closed.json.code).toBe("too_many_failures");
    expect(secondsToWait(closed)).toBeLessThanOrEqual(600);
    expect(confirmed.json.status).toBe("logged_in");
  });
});

describe.each(everyStore(0))("parallel codes on $name, codes of $owner", (platform) => {
  test("L2: evaluates exactly 5 of 100 parallel wrong codes", async () => {
    const { browser, service, events } = await setUpStarted(platform);
    const code = wrongCode(service);
    const answers = await Promise.all(Array.from({ length: 100 }, () => browser.post("/login/confirm", { code })));

    const codesAnswered = answers.map((answer) => answer.json.code);
    expect(codesAnswered.filter((answered) => answered === "code_rejected")).toHaveLength(5);
    expect(codesAnswered.filter((answered) => answered === "attempts_exhausted")).toHaveLength(95);
    expect(events.filter((event) => event.type === "login.code_rejected")).toHaveLength(5);
    expect(service.confirmations).toHaveLength(platform.owner === "the service" ? 5 : 0);
  });

  test("L2: logs in exactly once when 100 right codes arrive in parallel", async () => {
    const { browser, service, logins } = await setUpStarted(platform, { options: { clock: systemClock } });
    const code = newestCode(service);
    const rivals = Array.from({ length: 100 }, () => browser.copy());
    const answers = await Promise.all(rivals.map((rival) => rival.post("/login/confirm", { code })));

    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(logins).toHaveLength(1);
  });
});

describe.each(inMemory)("the format of a code on $name, codes of $owner", (platform) => {
  test("a code of letters or of another length uses no attempt", async () => {
    const { browser, service } = await setUpStarted(platform);
    for (const code of ["", "12", "12345", "abcdef", "12345678901", "12 3", "१२३४५६"]) {
      const answer = await browser.post("/login/confirm", { code });
      expect(answer.json.code).toBe("code_malformed");
    }
    const state = await browser.get("/login/state");
    expect(state.json.attemptsLeft).toBe(5);
    expect(service.confirmations).toHaveLength(0);
  });
});

describe.each(inMemory)("two confirmations at once on $name, codes of the service", (platform) => {
  const { codes } = serviceOwned;

  test.each<{ what: string; answer: ServiceAnswer }>([
    { what: "rejects the second code", answer: refusal("verify.invalid_code") },
    { what: "answers the second confirmation unreadably", answer: { status: 200, body: { success: "true" } } },
    { what: "is unavailable for the second confirmation", answer: { status: 503, body: {} } },
  ])("L2: when the service $what, its approval of the first one decides", async ({ answer }) => {
    let calls = 0;
    const onLogin = () => {
      calls++;
      if (calls === 1) throw new Error("the first finish fails");
      return "user_1";
    };
    const { browser, service } = await setUpStarted(platform, { codes, login: { onLogin } });
    const approval = createBarrier();
    const refused = createBarrier();
    service.onConfirm = async () => {
      const isFirst = service.confirmations.length === 1;
      await (isFirst ? approval : refused).pass();
      return isFirst ? undefined : answer;
    };
    const confirmations = [browser.copy(), browser.copy()].map((copy) =>
      copy.post("/login/confirm", { code: service.code }),
    );
    await Promise.all([approval.arrived(1), refused.arrived(1)]);
    approval.open();
    const unfinished = await Promise.race(confirmations);
    refused.open();
    const answers = await Promise.all(confirmations);

    expect(unfinished.json.code).toBe("login_unfinished");
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 503]);
  });
});

describe.each(inMemory)("attempts that are left on $name, codes of $owner", (platform) => {
  test("L1: are said by every refusal, and an earlier cookie restores none", async () => {
    const { browser, service } = await setUpStarted(platform);
    const earlier = browser.copy();
    const answers = (await tryWrongCodes(browser, service, 5)).map(({ json }) => json);
    answers.push((await earlier.post("/login/confirm", { code: newestCode(service) })).json);
    answers.push((await browser.post("/login/resend")).json);

    expect(answers.map(({ code, attemptsLeft }) => [code, attemptsLeft])).toEqual([
      ["code_rejected", 4],
      ["code_rejected", 3],
      ["code_rejected", 2],
      ["code_rejected", 1],
      ["code_rejected", 0],
      ["attempts_exhausted", 0],
      ["attempts_exhausted", 0],
    ]);
  });

  test("an attempt counts for as long as its login lives, however often the code is sent again", async () => {
    const { browser, service, clock } = await setUpStarted(platform);
    await browser.post("/login/confirm", { code: wrongCode(service) });
    for (let elapsed = 0; elapsed < 3600; elapsed += 240) {
      await browser.post("/login/resend");
      await clock.advance(239_000);
    }
    expect((await browser.get("/login/state")).json).toMatchObject({ status: "code_sent", attemptsLeft: 4 });
  });
});

async function fail(browser: Browser, { service }: LoginSetup, times: number): Promise<unknown[]> {
  return (await tryWrongCodes(browser, service, times)).map(({ json }) => json.code);
}

describe.each(inMemory)("the failures of a number on $name, codes of $owner", (platform) => {
  test("L5: of an address are limited a day, over all numbers, and not those of devices that have proven theirs", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 100, failuresPerAddressPerDay: 3, mode: "enforce" } as const;
    const login = await setUpLogin(platform, { login: { limits } });
    const owner = await login.loggedIn();
    await owner.post("/login/logout");
    await login.clock.advance(1);
    // The right code of the login before has outweighed nothing, since there was nothing.
    const codes = [
      ...(await fail(await login.started({ phone: otherPhone }), login, 2)),
      ...(await fail(await login.started({ phone: "+4915123456781" }), login, 2)),
    ];
    const stranger = await login.started({ phone: otherPhone });
    const refused = await stranger.post("/login/confirm", { code: newestCode(login.service) });
    const state = await stranger.get("/login/state");
    await owner.post("/login/start", { phone });
    const own = [await fail(owner, login, 1), await owner.post("/login/confirm", { code: newestCode(login.service) })];

    expect(codes).toEqual([...Array(3).fill("code_rejected"), "client_limit_reached"]);
    expect([refused.status, refused.json.code, state.json.attemptsLeft]).toEqual([429, "client_limit_reached", 5]);
    expect(secondsToWait(refused)).toBeGreaterThan(86_000);
    expect(own).toMatchObject([["code_rejected"], { json: { status: "logged_in" } }]);
  });

  test("L5: are not used up by codes of a login that another one has superseded", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 100, failuresPerPhoneInTenMinutes: 2 };
    const login = await setUpLogin(platform, { login: { limits } });
    const overtaken = await login.started();
    await login.loggedIn();
    await login.clock.advance(1);
    const codes = await fail(overtaken, login, 3);
    const browser = await login.started();
    const confirmed = await browser.post("/login/confirm", { code: newestCode(login.service) });

    expect(codes).toEqual(Array(3).fill("no_transaction"));
    expect(confirmed.json.status).toBe("logged_in");
  });

  test("L5: of an address are outweighed by right codes from there, two by each, which count for nothing", async () => {
    const limits = { cooldownSeconds: 0, failuresPerAddressPerDay: 3, mode: "enforce" } as const;
    const login = await setUpLogin(platform, { login: { limits } });
    const outcomes = [];
    for (let person = 0; person < 4; person++) {
      const browser = await login.started({ phone: `+491512345678${person}` });
      outcomes.push(...(await fail(browser, login, 2)));
      outcomes.push((await browser.post("/login/confirm", { code: newestCode(login.service) })).json.status);
    }
    expect(outcomes).toEqual(Array(4).fill(["code_rejected", "code_rejected", "logged_in"]).flat());
  });

  test("L5: a right code that is sent many times at once outweighs at most two wrong ones of its address", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 100, failuresPerAddressPerDay: 8, mode: "enforce" } as const;
    const login = await setUpLogin(platform, { login: { limits } });
    await fail(await login.started({ phone: otherPhone }), login, 4);
    const browser = await login.started();
    const code = newestCode(login.service);
    const racing = Promise.all([1, 2, 3, 4, 5].map(() => browser.copy().post("/login/confirm", { code })));
    // All but one wait for the lease.
    await advanceUntil(login, racing);
    const codes = [
      ...(await fail(await login.started({ phone: "+4915123456781" }), login, 4)),
      ...(await fail(await login.started({ phone: "+4915123456782" }), login, 4)),
    ];
    // Six, unless the service has approved the code for one request before another asked: that one is a wrong code.
    const rejected = codes.filter((answer) => answer === "code_rejected").length;
    expect(rejected).toBeGreaterThan(1);
    expect(rejected).toBeLessThanOrEqual(6);
  });
});
