import { appCodes, serviceCodes } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { secondsToWait } from "../support/browser.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { host } from "../support/hosts.ts";
import {
  newestCode,
  otherPhone,
  password,
  phone,
  setUpLoggedIn,
  setUpLogin,
  setUpStarted,
} from "../support/login-setup.ts";
import { inMemory, ownTexts } from "../support/platforms.ts";

const landline = "+4930123456";

describe.each([...inMemory, ...ownTexts])("the number's budget on $name, codes of $owner", (platform) => {
  test("L15: a login that the store did not write uses none of the number's budget", async () => {
    const app = platform.deploy();
    const failing = createFailingStore(app);
    const limits = { cooldownSeconds: 30, sendsPerPhone: 1 };
    const { open, service } = await setUpLogin(platform, { app, store: failing.store, login: { limits } });
    failing.failOn(({ what }) => what.startsWith("put"));
    const failed = await open().post("/login/start", { phone });
    failing.repair();
    const again = await open().post("/login/start", { phone });

    expect([failed.status, failed.json.code, again.status]).toEqual([503, "store_unavailable", 200]);
    expect(service.created).toHaveLength(1);
  });

  test.each([
    { what: "that certainly failed returns", status: 422, answer: [502, "send_failed"], again: 200 },
    { what: "with an unknown outcome uses", status: 500, answer: [503, "service_unavailable"], again: 429 },
  ])("L15: a send $what the number's budget", async ({ status, answer, again }) => {
    const limits = { cooldownSeconds: 30, sendsPerPhone: 1 };
    const { open, service } = await setUpLogin(platform, { login: { limits } });
    service.onCreate = () => ({ status, body: { error_code: "message.sender_not_registered" } });
    const failed = await open().post("/login/start", { phone });
    service.onCreate = () => undefined;

    expect([failed.status, failed.json.code]).toEqual(answer);
    expect((await open().post("/login/start", { phone })).status).toBe(again);
  });

  test("L15: a returned budget does not shorten the wait before the next code", async () => {
    const { open, service, clock } = await setUpLogin(platform, { login: { limits: { cooldownSeconds: 30 } } });
    service.onCreate = () => ({ status: 422, body: {} });
    await open().post("/login/start", { phone });
    service.onCreate = () => undefined;
    await clock.advance(29_000);
    const first = await open().post("/login/start", { phone });
    await clock.advance(2000);
    const second = await open().post("/login/start", { phone });
    expect([first.status, second.json.code]).toEqual([200, "cooldown"]);
    expect(secondsToWait(second)).toBeCloseTo(28, -1);
  });
});

describe.each([...inMemory, ...ownTexts])("sending a code on $name, codes of $owner", (platform) => {
  test("a requested channel is tried first, and a channel that is not offered is refused", async () => {
    const offered = platform.owner === "the service" ? serviceCodes : appCodes;
    const { open, started, service } = await setUpLogin(platform, {
      codes: offered({ template: "login", channels: ["SMS", "WHATSAPP", "VOICE"] }),
    });
    const refused = await open().post("/login/start", { phone, channel: "PIGEON" });
    const browser = await started({ phone, channel: "WHATSAPP" });
    await browser.post("/login/resend", { channel: "VOICE" });

    expect(refused.json.code).toBe("channel_not_allowed");
    expect(service.created.map(({ channels }) => channels.map((entry) => entry.channel_name))).toEqual([
      ["WHATSAPP", "SMS", "VOICE"],
      ["VOICE", "SMS", "WHATSAPP"],
    ]);
    expect(service.created[0]?.channels.map(({ priority }) => priority)).toEqual([1, 2, 3]);
  });

  test("a start and a resend use only the channels that take the number", async () => {
    const offered = platform.owner === "the service" ? serviceCodes : appCodes;
    const codes = offered({ template: "login", channels: ["SMS", "VOICE"] });
    const { open, started, service } = await setUpLogin(platform, { codes });
    const browser = await started({ phone: landline });
    await browser.post("/login/resend");
    const refused = [
      await open().post("/login/start", { phone: landline, channel: "SMS" }),
      await browser.post("/login/resend", { channel: "SMS" }),
    ];
    expect(refused.map(({ json }) => json.code)).toEqual(["channel_not_allowed", "channel_not_allowed"]);
    const channels = service.created.map((created) => created.channels.map(({ channel_name }) => channel_name));
    expect(channels).toEqual([["VOICE"], ["VOICE"]]);
  });

  test("a start whose code is not sent leaves the browser the login that it had", async () => {
    const { browser, service } = await setUpStarted(platform);
    const code = newestCode(service);
    service.onCreate = () => ({ status: 422, body: {} });
    const failed = await browser.post("/login/start", { phone: otherPhone });
    service.onCreate = () => undefined;
    const confirmed = await browser.post("/login/confirm", { code });
    expect([failed.json.code, confirmed.json.status]).toEqual(["send_failed", "logged_in"]);
  });

  test("when loadUser fails, no code is sent", async () => {
    const users = { areDown: false };
    const loadUser = () => (users.areDown ? Promise.reject(new Error("the user database is down")) : undefined);
    const { browser, service } = await setUpLoggedIn(platform, {
      options: { session: { password, loadUser: loadUser as never } },
    });
    const sent = service.created.length;
    users.areDown = true;
    const failed = await browser.post("/login/start", { phone });
    expect([failed.status, service.created.length]).toEqual([500, sent]);
  });

  test("confirming a made-up login leaves nothing in the store", async () => {
    const app = platform.deploy();
    const { open, started } = await setUpLogin(platform, { app });
    const [cookie = ""] = (await started()).cookies.keys();
    const before = await app.countEntries();
    for (let guess = 0; guess < 10; guess++) {
      const stranger = open();
      stranger.cookies.set(cookie, `made-up-${guess}`.padEnd(22, "_"));
      await stranger.post("/login/confirm", { code: "000000" });
    }
    expect(before).toBeGreaterThan(0);
    expect(await app.countEntries()).toBe(before);
  });

  test("refused starts leave nothing in the store", async () => {
    const app = platform.deploy();
    const limits = { cooldownSeconds: 30, sendsPerPhone: 1 };
    const { open, started } = await setUpLogin(platform, { app, login: { limits } });
    await started();
    const before = await app.countEntries();
    const refused = new Set<unknown>();
    for (let start = 0; start < 10; start++) refused.add((await open().post("/login/start", { phone })).json.code);

    expect([...refused]).toEqual(["send_limit_reached"]);
    expect(await app.countEntries()).toBe(before);
  });
});

describe("what the service is asked to send", () => {
  test.each([
    ["a template by its name", "login", {}],
    ["a template with variables", { name: "login", variables: { app: "Shop" } }, { app: "Shop" }],
  ])("%s, over SMS when no channel is chosen", async (_what, template, variables) => {
    const service = await setUpLogin(host, { codes: serviceCodes({ template }) });
    await service.started();
    const app = await setUpLogin(host, { codes: appCodes({ template }) });
    await app.started();
    const channels = [{ channel_name: "SMS", priority: 1 }];
    const sent = { id: "ver_1", recipient: phone, template: { name: "login", variables }, channels };

    expect(service.service.created).toEqual([sent]);
    expect(app.service.created).toEqual([{ ...sent, custom_otp: newestCode(app.service) }]);
  });

  test("a code of the app with as many digits as it chose, and no other is taken", async () => {
    const { browser, service } = await setUpStarted(host, { codes: appCodes({ codeLength: 8 }) });
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
      const { browser, service } = await setUpStarted(host, { codes: serviceCodes({ template: "login", ...options }) });
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
