import { describe, expect, test } from "vitest";
import { outcomeOf } from "../support/browser.ts";
import { newestCode, phone, setUpLogin, tryWrongCodes, wrongCode } from "../support/login-setup.ts";
import { appSenders } from "../support/platforms.ts";

const unlimited = {
  cooldownSeconds: 0,
  sendsPerPhone: 1000,
  sendsPerPhonePerDay: 1000,
  failuresPerPhoneInTenMinutes: 100,
};
/** Codes have 8 digits after 2 wrong ones and 10 after 6. Six digits are checked until there are 2 + 5, eight until 6 + 5. */
const limits = { ...unlimited, failuresPerPhone: 10 };

describe.each(appSenders)("the codes of the app after wrong ones, on $name", (platform) => {
  const setUp = (given = {}) => setUpLogin(platform, { login: { limits, ...given } });

  test("L4: have eight digits after 20 wrong codes in a row and ten after 60, and six again after a login", async () => {
    const { started, service, clock } = await setUp({ limits: unlimited });
    const lengths = [];
    for (let login = 0; login < 15; login++) {
      const browser = await started();
      const { json } = await browser.get("/login/state");
      lengths.push([json.codeLength, newestCode(service).length]);
      await tryWrongCodes(browser, service, 5);
    }
    const browser = await started();
    const confirmed = await browser.post("/login/confirm", { code: newestCode(service) });
    await clock.advance(1);
    await started();

    const rows = (count: number, length: number) => Array(count).fill([length, length]);
    expect(lengths).toEqual([...rows(4, 6), ...rows(8, 8), ...rows(3, 10)]);
    expect([confirmed.json.status, newestCode(service).length]).toEqual(["logged_in", 6]);
  });

  test("L29: keep their length and their digits when they are sent again", async () => {
    const { started, service } = await setUp();
    await tryWrongCodes(await started(), service, 3);
    const browser = await started();
    const code = newestCode(service);
    // Other failures make the next codes longer, and not this one.
    await tryWrongCodes(await started(), service, 3);
    const resent = await browser.post("/login/resend");

    expect([code.length, resent.json.codeLength, newestCode(service)]).toEqual([8, 8, code]);
    expect(outcomeOf(await browser.post("/login/confirm", { code }))).toBe("logged_in");
  });

  test("a code of another length is refused as one too many after the last attempt", async () => {
    const { started, service } = await setUp();
    const browser = await started();
    await tryWrongCodes(browser, service, 5);
    expect(outcomeOf(await browser.post("/login/confirm", { code: "12345678" }))).toBe("attempts_exhausted");
  });

  test("a code of another length uses no attempt", async () => {
    const { started, service } = await setUp();
    await tryWrongCodes(await started(), service, 3);
    const browser = await started();
    const answers = [];
    for (const code of ["123456", "1234567", "1234567890"]) {
      answers.push(outcomeOf(await browser.post("/login/confirm", { code })));
    }
    expect(answers).toEqual(Array(3).fill("code_malformed"));
    expect((await browser.get("/login/state")).json.attemptsLeft).toBe(5);
  });

  test("L4: of any number of wrong codes at once no more are checked than their length allows", async () => {
    const { started, service, events } = await setUp();
    const browsers = await Promise.all(Array.from({ length: 6 }, () => started()));
    await Promise.all(
      browsers.flatMap((browser) =>
        Array.from({ length: 5 }, () => browser.copy().post("/login/confirm", { code: wrongCode(service) })),
      ),
    );
    expect(events.filter(({ type }) => type === "login.code_rejected")).toHaveLength(7);
  });

  test("L5: strangers end no more than a login with a short code, and the next one of its browser logs in", async () => {
    const { started, service, open } = await setUp();
    const owner = await started();
    const short = newestCode(service);
    const strangers = [await started(), await started()];
    await Promise.all(strangers.map((stranger) => tryWrongCodes(stranger, service, 5)));
    const ended = await owner.post("/login/confirm", { code: short });
    const state = await owner.get("/login/state");
    await owner.post("/login/start", { phone });
    // However many wrong codes follow.
    for (let login = 0; login < 4; login++) {
      const stranger = open();
      await stranger.post("/login/start", { phone });
      await tryWrongCodes(stranger, service, 5);
    }
    await owner.post("/login/resend");
    const confirmed = await owner.post("/login/confirm", { code: newestCode(service) });

    expect([short.length, outcomeOf(ended), ended.json.attemptsLeft, state.json.status]).toEqual([
      6,
      "attempts_exhausted",
      0,
      "none",
    ]);
    expect([newestCode(service).length, confirmed.json.status]).toEqual([10, "logged_in"]);
  });

  test("L23: those of a test number stay as they are, so too many wrong ones close it", async () => {
    const testPhone = "+4915100000001";
    const testNumbers = { numbers: { [testPhone]: "271828" }, until: "2026-09-22" };
    const { started, service } = await setUp({ testNumbers });
    for (let login = 0; login < 2; login++) await tryWrongCodes(await started({ phone: testPhone }), service, 5);
    const browser = await started({ phone: testPhone });
    const { json } = await browser.get("/login/state");
    const refused = await browser.post("/login/confirm", { code: "271828" });

    expect([json.codeLength, outcomeOf(refused)]).toEqual([6, "phone_closed"]);
    // Any other number has longer ones.
    await tryWrongCodes(await started(), service, 2);
    expect((await (await started()).get("/login/state")).json.codeLength).toBe(8);
  });
});
