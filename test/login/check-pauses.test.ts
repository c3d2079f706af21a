import { describe, expect, test } from "vitest";
import { outcomeOf, secondsToWait } from "../support/browser.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import { newestCode, setUpStarted, tryWrongCodes, wrongCode } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";

/** Without `checkPauseSeconds`, but with the other limits out of the way. */
const limits = {
  cooldownSeconds: 0,
  sendsPerPhone: 100,
  sendsPerPhonePerDay: 100,
  failuresPerPhoneInTenMinutes: 100,
  checkPauseSeconds: [0, 0, 60, 120],
};

describe.each(inMemory)("pauses between the codes of a login, on $name, codes of $owner", (platform) => {
  test("L5: the fourth code waits for a minute and the fifth for two; a code before that uses no attempt", async () => {
    const { browser, service, clock } = await setUpStarted(platform, { login: { limits } });
    const confirm = (code: string) => browser.post("/login/confirm", { code });
    const first = [await confirm(wrongCode(service)), await confirm(wrongCode(service))];
    const third = await confirm(wrongCode(service));
    await clock.advance(58_000);
    const early = await confirm(newestCode(service));
    const state = await browser.get("/login/state");
    await clock.advance(2000);
    const fourth = await confirm(wrongCode(service));
    await clock.advance(118_000);
    const earlyAgain = await confirm(newestCode(service));
    await clock.advance(2000);
    const fifth = await confirm(newestCode(service));

    expect(first.map(({ json }) => [json.code, json.attemptsLeft, json.checkInSeconds])).toEqual([
      ["code_rejected", 4, 0],
      ["code_rejected", 3, 0],
    ]);
    expect([third.json.checkInSeconds, fourth.json.checkInSeconds]).toEqual([60, 120]);
    expect([early.status, early.json.code, early.json.attemptsLeft]).toEqual([429, "check_cooldown", 2]);
    expect(secondsToWait(early)).toBeLessThanOrEqual(2);
    expect(secondsToWait(early)).toBeGreaterThan(0);
    expect(state.json).toMatchObject({ status: "code_sent", attemptsLeft: 2, checkInSeconds: secondsToWait(early) });
    expect([outcomeOf(earlyAgain), outcomeOf(fifth)]).toEqual(["check_cooldown", "logged_in"]);
    expect(service.confirmations).toHaveLength(platform.owner === "the service" ? 5 : 0);
  });

  test("L2: of 100 parallel codes three are evaluated, and after the pause one of 100", async () => {
    const { browser, service, clock, events } = await setUpStarted(platform, { login: { limits } });
    const evaluated = () => events.filter(({ type }) => type === "login.code_rejected").length;
    const tryAll = () =>
      Promise.all(Array.from({ length: 100 }, () => browser.post("/login/confirm", { code: wrongCode(service) })));
    await tryAll();
    const first = evaluated();
    const { json } = await browser.get("/login/state");
    await clock.advance(Number(json.checkInSeconds) * 1000);
    await tryAll();

    expect(json.checkInSeconds).toBeGreaterThan(0);
    expect([first, json.attemptsLeft, evaluated()]).toEqual([3, 2, 4]);
  });
});

describe.each(inMemory)("pauses of strangers on $name, codes of $owner", (platform) => {
  test("L5: wrong codes of a stranger make nobody wait in another login of the number", async () => {
    const { browser: stranger, started, service } = await setUpStarted(platform, { login: { limits } });
    await tryWrongCodes(stranger, service, 3);
    const owner = await started();
    const code = newestCode(service);

    expect(outcomeOf(await stranger.post("/login/confirm", { code: wrongCode(service) }))).toBe("check_cooldown");
    expect(outcomeOf(await owner.post("/login/confirm", { code }))).toBe("logged_in");
  });

  test("L5: codes that come during a pause raise no failure of the number, not even for a moment", async () => {
    const app = platform.deploy();
    const raised: string[] = [];
    const store = interceptStore(app.connect(), ({ what }, ask) => {
      if (what.includes("failures")) raised.push(what);
      return ask();
    });
    const { browser: stranger, service } = await setUpStarted(platform, { app, store, login: { limits } });
    await tryWrongCodes(stranger, service, 3);
    raised.length = 0;
    const early = await stranger.post("/login/confirm", { code: wrongCode(service) });

    expect([outcomeOf(early), raised]).toEqual(["check_cooldown", []]);
  });

  test("a code that was right and could not be finished is no reason to wait", async () => {
    let calls = 0;
    const onLogin = () => {
      if (++calls === 1) throw new Error("the database was down");
      return "user_1";
    };
    const { browser, service } = await setUpStarted(platform, { login: { limits, onLogin } });
    const answers = [];
    for (const code of [wrongCode(service), wrongCode(service), newestCode(service), newestCode(service)]) {
      answers.push(outcomeOf(await browser.post("/login/confirm", { code })));
    }
    expect(answers).toEqual(["code_rejected", "code_rejected", "login_unfinished", "logged_in"]);
  });
});
