import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "../support/browser.ts";
import { deployOn } from "../support/deployment.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { host } from "../support/hosts.ts";
import { newestCode, otherPhone, phone, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { beginPost } from "../support/raw-post.ts";

const own = { "sec-fetch-site": "same-origin" };

describe("the answer to a refused request", () => {
  test("is a problem document with the code, and is not stored by caches", async () => {
    const { open, events } = await setUpLogin(host);
    const answer = await open().post("/login/start", {});
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
      400,
      "application/problem+json",
      "no-store",
    ]);
    expect(answer.json).toEqual({
      type: "https://github.com/doorcode/doorcode/blob/main/docs/problems.md#phone_invalid",
      title: expect.stringContaining("phone number"),
      status: 400,
      code: "phone_invalid",
      detail: "`phone` is missing.",
    });
    expect(events).toMatchObject([{ type: "login.refused", step: "start", code: "phone_invalid" }]);
  });

  test("names the country of the number in its event, and of nothing that is no number", async () => {
    const { open, events } = await setUpLogin(host, { login: { countries: ["DE"] } });
    await open().post("/login/start", { phone: "+48512345678" });
    await open().post("/login/start", { phone: "030 123456" });
    await open().post("/login/start", { phone: "5" });
    await open().post("/login/confirm", { code: "123456" });
    expect(events.map((event) => ("country" in event ? event.country : undefined))).toEqual([
      "PL",
      "DE",
      undefined,
      undefined,
    ]);
  });

  test("says how long to wait, in a header and in the document", async () => {
    const { open, started } = await setUpLogin(host, { login: { limits: { cooldownSeconds: 30 } } });
    await started();
    const answer = await open().post("/login/start", { phone });
    expect([answer.status, answer.headers.get("retry-after"), answer.json.retryAfterSeconds]).toEqual([429, "30", 30]);
  });

  test("of a foreign page says which option lists the pages", async () => {
    const { open, events } = await setUpLogin(host);
    const answer = await open().post("/login/start", { phone }, { "sec-fetch-site": "cross-site" });
    expect([answer.status, answer.json.code]).toEqual([403, "foreign_origin"]);
    expect(answer.json.detail).toContain("`origins`");
    expect(events).toMatchObject([{ type: "login.refused", step: "start", code: "foreign_origin" }]);
  });

  test("of a compressed body says to send it plain; a body that the host has decompressed is read", async () => {
    const { open } = await setUpLogin(host);
    const headers = { "content-type": "application/json", "content-encoding": "gzip", ...own };
    const send = (body: BodyInit) => open().send("/login/start", { method: "POST", headers, body });
    const [packed, plain] = [await send(gzipSync(JSON.stringify({ phone }))), await send(JSON.stringify({ phone }))];
    expect([packed.status, packed.json.code]).toEqual([415, "media_type_unsupported"]);
    expect(packed.json.detail).toBe("Send the body without a content encoding.");
    expect(plain.status).toBe(200);
  });

  test("of a form that comes too slowly closes the connection, and redirects nowhere", async () => {
    const { url, clock } = await setUpLogin(host);
    const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": "100", ...own };
    const post = beginPost(`${url}/login/start`, Object.entries(headers));
    post.write("phone=");
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(5000);
    const { status, code, headers: answered } = await post.answer();
    await post.closed();
    expect([status, code, answered.connection]).toEqual([408, "body_too_slow", "close"]);
  });
});

describe("the answer to a step of a login", () => {
  test("of a browser with a session says whose it is", async () => {
    const { loggedIn, clock } = await setUpLogin(host, { account: true });
    const browser = await loggedIn();
    await clock.advance(1);
    const started = await browser.post("/link/start", { phone: otherPhone });
    const resent = await browser.post("/link/resend");
    const expected = { status: "code_sent", userId: `user of ${phone}`, transaction: started.json.transaction };
    expect([started.json, resent.json]).toMatchObject([expected, expected]);
  });

  test("cancelling ends the login and deletes its cookie, and keeps a session", async () => {
    const { loggedIn, service } = await setUpLogin(host, { account: true });
    const browser = await loggedIn();
    await browser.post("/link/start", { phone: otherPhone });
    const earlier = browser.copy();
    const cancelled = await browser.post("/link/cancel");
    const confirmed = await earlier.post("/link/confirm", { code: newestCode(service) });

    expect(cancelled.json).toEqual({ status: "logged_in", version: expect.any(String), userId: `user of ${phone}` });
    expect([...browser.cookies.keys()].filter((name) => name.endsWith("transaction"))).toEqual([]);
    expect(confirmed.json.code).toBe("no_transaction");
  });

  test.each(["/login/confirm", "/login/resend", "/login/cancel"])(
    "%s refuses a page whose login was replaced",
    async (path) => {
      const { started, service } = await setUpLogin(host);
      const browser = await started();
      const { transaction } = (await browser.get("/login/state")).json;
      await browser.post("/login/start", { phone: otherPhone });
      const answer = await browser.post(path, { transaction, code: wrongCode(service) });

      expect([answer.status, answer.json.code, service.created.length]).toEqual([409, "transaction_replaced", 2]);
      expect((await browser.get("/login/state")).json).toMatchObject({
        status: "code_sent",
        attemptsLeft: 5,
        phone: "+49 ••• ••• 6780",
      });
    },
  );

  test("a page that names the login under way goes on with it, and keeps its cookie", async () => {
    const { started, service } = await setUpLogin(host);
    const browser = await started();
    const { transaction } = (await browser.get("/login/state")).json;
    const resent = await browser.post("/login/resend", { transaction });
    const confirmed = await browser.post("/login/confirm", { code: newestCode(service), transaction });
    expect([resent.json.transaction, resent.headers.getSetCookie()]).toEqual([transaction, []]);
    expect(confirmed.json.status).toBe("logged_in");
  });
});

describe("a logout while the store fails", () => {
  test.each(["delete transaction", "delete session"])(
    'on "%s" is 503, deletes no cookie, and does the rest',
    async (call) => {
      const app = deployOn(host);
      const failing = createFailingStore(app);
      const { loggedIn, service } = await setUpLogin(host, { app, store: failing.store });
      const browser = await loggedIn();
      await browser.post("/login/start", { phone: otherPhone });
      const [code, copy] = [newestCode(service), browser.copy()];
      failing.failOn(({ what }) => what === call);
      const failed = await browser.post("/login/logout");
      failing.repair();
      const session = await copy.get("/account");
      const login = await copy.post("/login/confirm", { code });

      expect([failed.status, failed.json.code, failed.headers.getSetCookie()]).toEqual([503, "store_unavailable", []]);
      expect([session.status, outcomeOf(login)]).toEqual(
        call === "delete session" ? [200, "no_transaction"] : [401, "logged_in"],
      );
    },
  );
});

test("a page knows a login by a short name that is its own and not part of its cookie", async () => {
  const { started } = await setUpLogin(host);
  const browsers = [await started(), await started()];
  const names = [];
  for (const browser of browsers) names.push(String((await browser.get("/login/state")).json.transaction));

  expect(names).toEqual([expect.stringMatching(/^[\w-]{8}$/), expect.stringMatching(/^[\w-]{8}$/)]);
  expect(new Set(names).size).toBe(2);
  const cookies = browsers.flatMap((browser) => [...browser.cookies.values()]);
  for (const name of names) expect(cookies.filter((cookie) => cookie.includes(name))).toEqual([]);
});

describe("HTML forms", () => {
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
