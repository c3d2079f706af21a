import { describe, expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { phone, setUpLogin } from "../support/login-setup.ts";

describe.each(hosts)("HTML forms on $name", (host) => {
  test.each([
    ["/orders?id=1#top", "/orders?id=1#top"],
    ["/アカウント", "/%E3%82%A2%E3%82%AB%E3%82%A6%E3%83%B3%E3%83%88"],
    ["https://evil.example/", "/account"],
    ["/\\evil.example", "/account"],
    ["/a\r\nset-cookie: x=1", "/aset-cookie:%20x=1"],
    [`/${"a".repeat(2000)}`, "/account"],
    ["", "/account"],
  ])("a form with next %j is redirected to %s", async (next, location) => {
    const { started, service } = await setUpLogin(host);
    const browser = await started();
    const answer = await browser.submit("/login/confirm", { code: service.code, next });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, location]);
    expect((await browser.get("/account")).status).toBe(200);
  });

  test("empty fields count as missing", async () => {
    const { open } = await setUpLogin(host);
    const browser = open();
    const fields = { phone, country: "", channel: "", transaction: "", next: "" };
    expect((await browser.submit("/login/start", fields)).headers.get("location")).toBe("/login");
    expect((await browser.get("/login/state")).json.status).toBe("code_sent");
  });

  test("a refusal redirects to the page with its code, the seconds to wait and next", async () => {
    const { started } = await setUpLogin(host, { login: { limits: { cooldownSeconds: 30 } } });
    const browser = await started();
    const answer = await browser.submit("/login/resend", { next: "/orders" });
    expect(answer.headers.get("location")).toBe("/login?problem=cooldown&retryAfterSeconds=30&next=%2Forders");
    expect(answer.headers.getSetCookie()).toEqual([]);
  });
});
