import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { outcomeOf } from "../support/browser.ts";
import { newestCode, setUpLogin } from "../support/login-setup.ts";
import { inMemory, ownTexts } from "../support/platforms.ts";

afterEach(() => void vi.restoreAllMocks());

const testPhone = "+4915100000001";
const otherTestPhone = "+4915100000002";
const fixedCode = "271828";
const otherFixedCode = "314159";
const numbers = { [testPhone]: fixedCode, [otherTestPhone]: otherFixedCode };
/** The clock of the tests begins on 2026-09-21. */
const testNumbers = { numbers, until: "2026-09-22" };
const untilItIsOver = Date.UTC(2026, 8, 23) - Date.UTC(2026, 8, 21, 14, 13, 20);

describe.each([...inMemory, ...ownTexts])("test numbers on $name, codes of $owner", (platform) => {
  test("L23: a test number logs in with its fixed code, also after a resend, and the service is never called", async () => {
    const { started, service, logins } = await setUpLogin(platform, { login: { testNumbers } });
    const browser = await started({ phone: "0151 00000001" });
    await browser.post("/login/resend");
    const answer = await browser.post("/login/confirm", { code: fixedCode });

    expect(answer.json).toMatchObject({ status: "logged_in", userId: `user of ${testPhone}` });
    expect(logins).toMatchObject([{ phone: testPhone }]);
    expect([service.created, service.confirmations]).toEqual([[], []]);
  });

  test("L23: each use of a test number is an event, without its number and its code", async () => {
    const { started, events } = await setUpLogin(platform, { login: { testNumbers } });
    const browser = await started({ phone: testPhone });
    await browser.post("/login/confirm", { code: fixedCode });

    const masked = {
      phone: "+49 ••• ••• 0001",
      country: "DE",
      purpose: "login",
      loginId: expect.any(String),
      phoneFingerprint: expect.any(String),
    };
    const uses = events.filter(({ type }) => type === "login.test_number_used");
    expect(uses).toEqual([
      { type: "login.test_number_used", step: "send", ...masked },
      { type: "login.test_number_used", step: "check", ...masked },
    ]);
    expect(inspect(events.map((event) => ({ ...event, userId: "" })))).not.toMatch(`${testPhone}|${fixedCode}`);
  });

  test("L23: wrong codes of a test number count, and the code of another one is wrong", async () => {
    const { started, service } = await setUpLogin(platform, { login: { testNumbers } });
    const browser = await started({ phone: testPhone });
    const outcomes = [];
    for (const code of [...Array(5).fill(otherFixedCode), fixedCode]) {
      outcomes.push(outcomeOf(await browser.post("/login/confirm", { code })));
    }
    expect(outcomes).toEqual([...Array(5).fill("code_rejected"), "attempts_exhausted"]);
    expect(service.confirmations).toEqual([]);
  });

  test("L23: sends to a test number count", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 2 };
    const { open } = await setUpLogin(platform, { login: { testNumbers, limits } });
    const outcomes = [];
    for (let send = 0; send < 3; send++) {
      outcomes.push(outcomeOf(await open().post("/login/start", { phone: testPhone })));
    }
    expect(outcomes).toEqual(["code_sent", "code_sent", "send_limit_reached"]);
  });

  test("L23: a test number is right to the end of the last day, and an ordinary number from then on", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const { open, started, service, clock } = await setUpLogin(platform, { login: { testNumbers } });
    await clock.advance(untilItIsOver - 1);
    const lastMinute = await started({ phone: testPhone });
    expect(outcomeOf(await lastMinute.post("/login/confirm", { code: fixedCode }))).toBe("logged_in");
    const tooLate = await started({ phone: testPhone });
    expect(warn).not.toHaveBeenCalled();

    await clock.advance(1);
    expect(outcomeOf(await tooLate.post("/login/confirm", { code: fixedCode }))).not.toBe("logged_in");
    const browser = open();
    await browser.post("/login/start", { phone: testPhone });
    expect(service.created).toMatchObject([{ recipient: testPhone }]);
    expect(outcomeOf(await browser.post("/login/confirm", { code: fixedCode }))).toBe("code_rejected");
    expect(outcomeOf(await browser.post("/login/confirm", { code: newestCode(service) }))).toBe("logged_in");
    expect(warn.mock.calls).toEqual([
      [
        expect.stringContaining("login.testNumbers ended on 2026-09-22"),
        expect.objectContaining({ code: "test_numbers_ended" }),
      ],
    ]);
  });

  test("L23: an app that starts after the last day warns once, and sends to the number", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const ended = { numbers, until: "2026-09-20" };
    const { started, service } = await setUpLogin(platform, { login: { testNumbers: ended } });
    expect(warn).toHaveBeenCalledTimes(1);
    await started({ phone: testPhone });
    expect(service.created).toMatchObject([{ recipient: testPhone }]);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});
