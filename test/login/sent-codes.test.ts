import { appCodes, serviceCodes } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { newestCode, phone, setUpLogin } from "../support/login-setup.ts";

describe.each(hosts)("what the service is asked to send, on $name", (host) => {
  test.each([
    { what: "a template by its name", template: "login", sent: { name: "login", variables: {} } },
    {
      what: "a template without variables",
      template: { name: "login" },
      sent: { name: "login", variables: {} },
    },
    {
      what: "a template with variables",
      template: { name: "login", variables: { app: "Shop" } },
      sent: { name: "login", variables: { app: "Shop" } },
    },
  ])("$what, over SMS when no channel is chosen", async ({ template, sent }) => {
    const service = await setUpLogin(host, { codes: serviceCodes({ template }) });
    await service.started();
    const app = await setUpLogin(host, { codes: appCodes({ template }) });
    await app.started();
    const channels = [{ channel_name: "SMS", priority: 1 }];
    const { created } = service.service;

    expect(created).toEqual([{ id: "ver_1", recipient: phone, template: sent, channels }]);
    expect(app.service.created).toEqual([
      { id: "ver_1", recipient: phone, template: sent, channels, custom_otp: newestCode(app.service) },
    ]);
  });

  test("a code of the app with as many digits as it chose, and no other is taken", async () => {
    const { started, service } = await setUpLogin(host, { codes: appCodes({ codeLength: 8 }) });
    const browser = await started();
    const { codeLength } = (await browser.get("/login/state")).json;
    const code = newestCode(service);
    const malformed = [
      await browser.post("/login/confirm", { code: code.slice(1) }),
      await browser.post("/login/confirm", { code: `${code}0` }),
    ];
    const confirmed = await browser.post("/login/confirm", { code });

    expect(codeLength).toBe(8);
    expect(code).toMatch(/^\d{8}$/);
    expect(malformed.map(({ json }) => json.code)).toEqual(["code_malformed", "code_malformed"]);
    expect(confirmed.json.status).toBe("logged_in");
  });

  test("a code of the service is taken with six to ten digits, or with as many as the app says", async () => {
    const tried = ["1234", "12345", "123456", "1234567890", "12345678901"];
    const outcomes = [];
    for (const options of [{}, { codeLength: 4 }]) {
      const { started, service } = await setUpLogin(host, { codes: serviceCodes({ template: "login", ...options }) });
      const browser = await started();
      const { codeLength } = (await browser.get("/login/state")).json;
      for (const code of tried) await browser.post("/login/confirm", { code });
      outcomes.push([codeLength, service.confirmations.map(({ otp_code }) => otp_code)]);
    }
    expect(outcomes).toEqual([
      [null, ["123456", "1234567890"]],
      [4, ["1234"]],
    ]);
  });
});
