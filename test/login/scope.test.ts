import { describe, expect, test } from "vitest";
import { newestCode, otherPhone, phone, setUpLogin } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";

describe.each(inMemory)("the scope of a code on $name, codes of $owner", (platform) => {
  test("L6: ignores a phone, purpose, user or verification id in the body", async () => {
    const { started, service, logins } = await setUpLogin(platform);
    const browser = await started();
    const answer = await browser.post("/login/confirm", {
      code: newestCode(service),
      phone: otherPhone,
      purpose: "link",
      userId: "admin",
      verificationId: "ver_999",
      verification_id: "ver_999",
    });

    expect(answer.json.userId).toBe(`user of ${phone}`);
    expect(logins).toMatchObject([{ phone }]);
    expect(service.confirmations.every(({ id }) => id === "ver_1")).toBe(true);
  });

  test("L6: a code of one login is wrong in another login of the same number", async () => {
    const { started, service } = await setUpLogin(platform);
    await started();
    const first = newestCode(service);
    service.onConfirm = ({ id }) =>
      id === "ver_1"
        ? undefined
        : { status: 400, body: { success: false, message: "", error_code: "verify.invalid_code" } };
    let second = await started();
    // One in a million: the app draws the same code again, and has to draw once more.
    while (service.created.at(-1)?.custom_otp === first) second = await started();
    const answer = await second.post("/login/confirm", { code: first });
    expect(answer.json.code).toBe("code_rejected");
  });

  test("L22: posting the code of the attacker's login from the victim's browser logs nobody in", async () => {
    const { open, started, service } = await setUpLogin(platform);
    const attacker = await started({ phone: otherPhone });
    const attackersState = await attacker.get("/login/state");
    const attackersCode = newestCode(service);
    const victim = open();
    const foreign = { "sec-fetch-site": "cross-site", origin: "https://attacker.example" };
    const crossSite = await victim.submit("/login/confirm", { code: attackersCode }, foreign);
    const fromOwnPage = await victim.post("/login/confirm", {
      code: attackersCode,
      transaction: attackersState.json.transaction,
    });

    // The second half: the attacker has planted the cookie of the login as well.
    for (const [name, value] of attacker.cookies) victim.cookies.set(name, value);
    const planted = [
      await victim.submit("/login/confirm", { code: attackersCode }, foreign),
      await victim.submit("/login/confirm", { code: attackersCode }, { "sec-fetch-site": "same-site" }),
      await victim.send("/login/confirm", {
        method: "POST",
        headers: { "content-type": "text/plain", ...foreign },
        body: JSON.stringify({ code: attackersCode }),
      }),
    ];

    expect([crossSite, ...planted].map(({ json }) => json.code)).toEqual(Array(4).fill("foreign_origin"));
    expect(fromOwnPage.json.code).toBe("no_transaction");
    expect((await victim.get("/account")).status).toBe(401);
  });

  test("L14: all spellings of a number share one budget", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 5, failuresPerPhoneInTenMinutes: 100 };
    const { open, service } = await setUpLogin(platform, { login: { limits } });
    const outcomes = [];
    for (const spelling of ["0151 23456789", "0049 151 234 567 89", "tel:+49-151-23456789", "+٤٩١٥١٢٣٤٥٦٧٨٩", phone]) {
      outcomes.push((await open().post("/login/start", { phone: spelling })).status);
    }
    const beyond = await open().post("/login/start", { phone: "＋４９ (0)151/23456789" });
    expect([...outcomes, beyond.json.code]).toEqual([...Array(5).fill(200), "send_limit_reached"]);
    expect(new Set(service.created.map(({ recipient }) => recipient))).toEqual(new Set([phone]));
  });
});

describe.each(inMemory)("refusals on $name, codes of $owner", (platform) => {
  test.each([
    ["phone_invalid", ["", "+49", "+4930123456 ext. 7", "1".repeat(9000), "4915123456789", "+49 49 15123456789"]],
    ["country_not_allowed", ["+43 664 1234567"]],
    ["number_type_not_allowed", ["+49 900 1234567"]],
  ])("L16, L28: refuses with %s, and sends nothing: %j", async (code, typed) => {
    const { open, service } = await setUpLogin(platform);
    for (const text of typed) expect((await open().post("/login/start", { phone: text })).json.code).toBe(code);
    expect(service.created).toEqual([]);
  });

  test("the country that a person chose comes before the only one that is allowed", async () => {
    const { open } = await setUpLogin(platform);
    const answer = await open().post("/login/start", { phone: "0664 1234567", country: "AT" });
    expect(answer.json.code).toBe("country_not_allowed");
  });
});
