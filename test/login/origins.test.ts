import { createDoorcode, serviceCodes } from "@doorcode/core";
import { phoneLogin, requireLogin } from "@doorcode/fetch";
import { describe, expect, test } from "vitest";
import { host } from "../support/hosts.ts";
import { newestCode, password, phone, setUpLogin } from "../support/login-setup.ts";
import { requestToHost } from "../support/request-to-host.ts";

const origins = ["https://app.example.com", "https://www.example.com"];
const json = { "content-type": "application/json" };
const listed = { origin: "https://www.example.com" };
const unlisted = { origin: "https://m.example.com" };
const foreign = { origin: "https://evil.example" };

describe("a POST to an app with `origins`", () => {
  test.each([
    ["a listed page, which the browser calls another site", { ...listed, "sec-fetch-site": "cross-site" }, 200],
    ["a page of this site that hides its origin", { origin: "null", "sec-fetch-site": "same-origin" }, 200],
    ["a page of this site that is not listed", { ...unlisted, "sec-fetch-site": "same-origin" }, 200],
    ["a page that hides its origin", { origin: "null" }, 403],
    ["a page of this machine", { origin: "http://localhost:3000" }, 403],
  ])("%s is answered as its origin says", async (_what, headers, status) => {
    const { open, service } = await setUpLogin(host, { options: { origins } });
    const init = { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify({ phone }) };
    const answer = await open().send("/login/start", init);
    expect([answer.status, service.created.length]).toEqual([status, status === 200 ? 1 : 0]);
  });

  test("is served on any host", async () => {
    const { open } = await setUpLogin(host, { options: { origins } });
    const headers = { ...json, ...listed, "x-forwarded-host": "app.example.com" };
    const answer = await open().send("/login/start", { method: "POST", headers, body: JSON.stringify({ phone }) });
    expect(answer.json.status).toBe("code_sent");
  });
});

test("a page of this machine that hides its origin is accepted by an app without `origins`", async () => {
  const { open } = await setUpLogin(host);
  const answer = await open().post("/login/start", { phone }, { origin: "null", "sec-fetch-site": "same-origin" });
  expect(answer.status).toBe(200);
});

describe('an app with `origins: "private-network"`', () => {
  const own = (name: string) => ({ host: name, origin: `http://${name}` });

  test.each([
    ["a page of its address", own("192.168.1.20:3000"), 200, undefined],
    ["a page of its IPv6 address", own("[fd00::5]:3000"), 200, undefined],
    ["a page of its name in the network", own("my-laptop.local:3000"), 200, undefined],
    ["a page of this machine", { host: "localhost:3000", origin: "http://localhost:5173" }, 200, undefined],
    ["a program of the network", { host: "192.168.1.20:3000" }, 200, undefined],
    ["a page of another machine", { ...own("192.168.1.20"), origin: "http://192.168.1.1" }, 403, "foreign_origin"],
    ["a page of another port", { ...own("192.168.1.20:3000"), origin: "http://192.168.1.20" }, 403, "foreign_origin"],
    ["a page of the internet", { ...own("192.168.1.20"), ...foreign }, 403, "foreign_origin"],
    ["a page that hides its origin", { ...own("192.168.1.20"), origin: "null" }, 403, "foreign_origin"],
    ["a site whose name leads to the network", own("evil.example"), 403, "host_not_allowed"],
    ["a public address", own("203.0.113.7:3000"), 403, "host_not_allowed"],
    ["a proxy", { ...own("192.168.1.20"), "x-forwarded-host": "app.example.com" }, 403, "host_not_allowed"],
  ])("L32: %s: %j is answered %i %s", async (_what, headers, status, code) => {
    const { url, service } = await setUpLogin(host, { options: { origins: "private-network" } });
    const body = JSON.stringify({ phone });
    const answer = await requestToHost(`${url}/login/start`, {
      method: "POST",
      headers: { ...json, ...headers },
      body,
    });
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect(service.created).toHaveLength(status === 200 ? 1 : 0);
  });

  test("publishes a refused host: behind a wrong proxy all logins are refused", async () => {
    const { url, events } = await setUpLogin(host, { options: { origins: "private-network" } });
    const headers = { ...json, ...own("evil.example") };
    await requestToHost(`${url}/login/start`, { method: "POST", headers, body: JSON.stringify({ phone }) });
    expect(events).toMatchObject([{ type: "login.refused", step: "start", code: "host_not_allowed" }]);
  });

  test("sets its cookies without Secure, because the network has no https", async () => {
    const { started, service } = await setUpLogin(host, { options: { origins: "private-network" } });
    const answer = await (await started()).post("/login/confirm", { code: newestCode(service) });
    const cookies = answer.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(0);
    expect(cookies.filter((cookie) => /secure|__Host-/i.test(cookie))).toEqual([]);
  });
});

test("L32: without `origins` a login over the app's own sessions shows whose they are on this machine only", async () => {
  const doorcode = createDoorcode({
    name: "own",
    service: { baseUrl: "http://localhost:4010", apiKey: "key_of_the_tests" },
    login: {
      password,
      countries: ["DE"],
      codes: serviceCodes({ template: "login" }),
      onLogin: () => "user_1",
    },
  });
  const session = { start: () => undefined, current: () => ({ userId: "user_1" }), end: () => undefined };
  const login = phoneLogin(doorcode, { basePath: "/login", session });
  const guard = requireLogin(doorcode, { session });
  const answers = [];
  const admissions = [];
  for (const host of ["localhost", "app.example.com"]) {
    const request = new Request("http://localhost/login/state", { headers: { host } });
    const answer = await login(request, { remoteAddress: "127.0.0.1" });
    answers.push(await answer?.json());
    admissions.push(await guard(request));
  }
  expect(admissions).toMatchObject([{ session: { userId: "user_1" } }, { response: { status: 403 } }]);
  expect(answers).toMatchObject([
    { status: "logged_in", userId: "user_1" },
    { status: 403, code: "host_not_allowed" },
  ]);
});

test("L32: without origins doorcode.session reads and ends no session for a host that is not this machine", async () => {
  const { session } = createDoorcode({ session: { password } });
  const { setCookie } = await session.start({ userId: "user_1" });
  const requestTo = (name: string) => ({ headers: { host: name, cookie: setCookie.split(";")[0] } });
  for (const read of [session.current, session.end, session.endOthers]) {
    await expect(read(requestTo("app.example.com"))).rejects.toMatchObject({ code: "host_not_allowed" });
  }
  expect(await session.current(requestTo("localhost"))).toMatchObject({ userId: "user_1" });
});
