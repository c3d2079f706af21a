import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { appCodes, type CodeStrategyFactory, type DoorcodeEvent } from "@doorcode/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Browser } from "../support/browser.ts";
import { host } from "../support/hosts.ts";
import { newestCode, phone, serviceOwned, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { deliverVerification, webhookSecret } from "./deliver-verification.ts";

afterEach(() => void vi.restoreAllMocks());

/** Creates a value like the queries of some database clients: it is awaited like a promise, runs only then, and is none. */
function createQuery(): PromiseLike<never> {
  // biome-ignore lint/suspicious/noThenProperty: that is what the test is about.
  return { then: (...handlers) => Promise.reject(new Error("the log is full")).then(...handlers) };
}

test("publishes the same events to onEvent and to the diagnostics channel", async () => {
  const published: DoorcodeEvent[] = [];
  const listen = (event: unknown) => void published.push(event as DoorcodeEvent);
  subscribe("doorcode", listen);
  const { loggedIn, events } = await setUpLogin(host);
  await loggedIn();
  unsubscribe("doorcode", listen);

  expect(published.map((event) => event.type)).toEqual([
    "login.send_decided",
    "login.code_sent",
    "login.started",
    "login.code_checked",
    "login.callback_ended",
    "login.completed",
  ]);
  expect(published).toEqual(events);
});

test("tell how long the service, the app and the whole request took", async () => {
  const pass = async (seconds: number) => void (await setup.clock.advance(seconds * 1000));
  const codes: CodeStrategyFactory = (tools) => {
    const strategy = serviceOwned.codes(tools);
    return {
      ...strategy,
      send: async (...sent) => pass(1.5).then(() => strategy.send(...sent)),
      check: async (...typed) => pass(0.5).then(() => strategy.check(...typed)),
    };
  };
  const onLogin = async () => pass(2).then(() => "user_1");
  const setup = await setUpLogin(host, { codes, login: { onLogin } });
  await setup.loggedIn();
  await setup.open().post("/login/start", { phone: "" });

  const durations = setup.events.flatMap((event) =>
    "durationSeconds" in event ? [[event.type, event.durationSeconds]] : [],
  );
  expect(durations).toEqual([
    ["login.code_sent", 1.5],
    ["login.started", 1.5],
    ["login.code_checked", 0.5],
    ["login.callback_ended", 2],
    ["login.completed", 2.5],
    ["login.refused", 0],
  ]);
});

test("tell what a function of the app answered", async () => {
  const answers = [() => undefined, () => Promise.reject(new Error("the database is down")), () => "user_1"];
  const onLogin = () => answers.shift()?.();
  const { started, service, events } = await setUpLogin(host, { codes: serviceOwned.codes, login: { onLogin } });
  await (await started()).post("/login/confirm", { code: service.code });
  const browser = await started();
  for (let retry = 0; retry < 2; retry++) await browser.post("/login/confirm", { code: service.code });
  const outcomes = events.flatMap((event) => (event.type === "login.callback_ended" ? [event.outcome] : []));
  expect(outcomes).toEqual(["refused", "failed", "accepted"]);
});

test("tell what beforeSend answered, and how long that took", async () => {
  const answers = [() => "allow" as const, () => "deny" as const, () => Promise.reject(new Error("no answer"))];
  const beforeSend = async () => setup.clock.advance(500).then(() => answers.shift()?.());
  const setup = await setUpLogin(host, { codes: serviceOwned.codes, login: { beforeSend } });
  for (let start = 0; start < 3; start++) await setup.open().post("/login/start", { phone });
  const ended = setup.events.flatMap((event) =>
    event.type === "login.callback_ended" ? [[event.callback, event.outcome, event.durationSeconds]] : [],
  );
  expect(ended).toEqual([
    ["beforeSend", "accepted", 0.5],
    ["beforeSend", "refused", 0.5],
    ["beforeSend", "failed", 0.5],
  ]);
});

const logIsFull = new Error(`the log is full at ${phone}`);
const withoutText: unknown = Object.create(null);

const failingListeners = [
  { how: "throws", onEvent: () => throwing(logIsFull), said: "Error: the log is full at" },
  { how: "rejects", onEvent: () => Promise.reject(logIsFull), said: "Error: the log is full at" },
  { how: "throws a value without a text", onEvent: () => throwing(withoutText), said: "object" },
  { how: "returns a query that rejects", onEvent: () => createQuery(), said: "Error: the log is full" },
];

test.each(failingListeners)("an onEvent that $how changes no login and causes a warning", async ({ onEvent, said }) => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const { loggedIn } = await setUpLogin(host, { options: { onEvent } });
  const browser = await loggedIn();

  expect((await browser.get("/account")).status).toBe(200);
  const warnings = warn.mock.calls.map(([warning]) => String(warning));
  expect(warnings).toContainEqual(expect.stringContaining(`onEvent failed on login.completed: ${said}`));
  expect(warnings.join()).not.toContain(phone);
});

test("tell the app when its user logs in, in which browser, and whether it is a new device", async () => {
  const { clock, events, open, service } = await setUpLogin(host);
  const completed = () => events.findLast((event) => event.type === "login.completed");
  const laptop = open();
  const logInAs = async (browser: Browser, userAgent: string) => {
    const headers = { "sec-fetch-site": "same-origin", "user-agent": userAgent };
    await browser.post("/login/start", { phone }, headers);
    await browser.post("/login/confirm", { code: newestCode(service) }, headers);
  };

  await logInAs(laptop, "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0");
  const firstAt = clock.now();
  expect(completed()).toMatchObject({ client: "Firefox on Linux", knownDevice: false, completedAt: firstAt });
  expect(completed()).not.toHaveProperty("lastProvenAt");

  await clock.advance(60_000);
  await logInAs(open(), "a stranger's own words: https://phishing.example");
  expect(completed()).toMatchObject({ knownDevice: false, lastProvenAt: firstAt, completedAt: clock.now() });
  expect(completed()).not.toHaveProperty("client");

  await clock.advance(60_000);
  await logInAs(laptop, "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0");
  expect(completed()).toMatchObject({ knownDevice: true });
});

test("tell the channel of a login, and the time from its code to its end", async () => {
  const { clock, events, started, service } = await setUpLogin(host);
  const browser = await started();
  await clock.advance(42_000);
  await browser.post("/login/confirm", { code: newestCode(service) });
  await browser.post("/login/confirm", { code: "000000" });
  expect(events).toMatchObject([
    ...Array(3).fill({}),
    { type: "login.code_checked" },
    { type: "login.callback_ended" },
    { type: "login.completed", channel: "SMS", sinceCodeSeconds: 42 },
    { type: "login.refused", step: "confirm", purpose: "login" },
  ]);
});

test("tell once that a code was delivered, or that no channel could deliver it", async () => {
  const login = await setUpLogin(host, { options: { webhooks: { secret: webhookSecret } } });
  await login.started();
  const report = (channel: string, channel_status: string, second: number, status = "PENDING") => {
    const updated_at = `2026-09-21T14:13:${second}Z`;
    const verification_id = login.service.created.at(-1)?.id;
    return deliverVerification(login, {
      verification_id,
      recipient: phone,
      channel,
      channel_status,
      status,
      updated_at,
    });
  };
  await report("SMS", "SENT", 20);
  await report("SMS", "FAILED", 25);
  await report("WHATSAPP", "DELIVERED", 32);
  await report("WHATSAPP", "DELIVERED", 33);
  await login.open().post("/login/start", { phone: "+4915123456700" });
  await report("SMS", "FAILED", 34, "FAILED");
  const reports = login.events.filter(({ type }) => type.endsWith("delivered"));
  expect(reports).toEqual([
    { type: "login.code_delivered", country: "DE", channel: "WHATSAPP", deliverySeconds: 12 },
    { type: "login.code_undelivered", country: "DE", channel: "SMS" },
  ]);
  const handled = login.events.flatMap((event) => (event.type === "webhook.handled" ? [event.lagSeconds] : []));
  expect(handled.every((seconds) => Number.isFinite(seconds))).toBe(true);
});

test("tell it once also if the app's handler fails first, or a later report says it again", async () => {
  let fails = true;
  const on = { "verification.update": () => void (fails && throwing(new Error("The app's database is down."))) };
  const login = await setUpLogin(host, { options: { webhooks: { secret: webhookSecret, on } } });
  await login.started();
  const report = (status: string, second: number) => {
    const verification_id = login.service.created.at(-1)?.id;
    const updated_at = `2026-09-21T14:13:${second}Z`;
    return deliverVerification(login, { verification_id, recipient: phone, channel: "SMS", status, updated_at });
  };
  const statuses = [await report("DELIVERED", 20)];
  fails = false;
  for (const second of [20, 21]) statuses.push(await report("DELIVERED", second));
  await login.open().post("/login/start", { phone: "+4915123456700" });
  fails = true;
  statuses.push(await report("FAILED", 30));
  fails = false;
  for (const second of [30, 31]) statuses.push(await report("FAILED", second));

  expect(statuses).toEqual([500, 204, 204, 500, 204, 204]);
  const reports = login.events.flatMap(({ type }) => (type.endsWith("delivered") ? [type] : []));
  expect(reports).toEqual(["login.code_delivered", "login.code_undelivered"]);
});

test.each([
  { ahead: "the first", instants: ["2099-01-01T00:00:00Z", "2026-09-21T14:13:20Z"] },
  { ahead: "the last", instants: ["2026-09-21T14:13:20Z", "2099-01-01T00:00:00Z"] },
])("tell no time of a delivery from a wrong instant: $ahead report is decades ahead", async ({ instants }) => {
  const login = await setUpLogin(host, { options: { webhooks: { secret: webhookSecret } } });
  await login.started();
  const verification_id = login.service.created.at(-1)?.id;
  for (const [index, updated_at] of instants.entries()) {
    const status = index === 0 ? "SENT" : "DELIVERED";
    await deliverVerification(login, { verification_id, recipient: phone, channel: "SMS", status, updated_at });
  }
  const reports = login.events.flatMap((event) => (event.type === "login.code_delivered" ? [event] : []));
  expect(reports.map(({ deliverySeconds }) => deliverySeconds)).toEqual([undefined]);
});

test("say of the proof of a verify no user and no device", async () => {
  const { events, open, service } = await setUpLogin(host, { account: true });
  const browser = open();
  await browser.post("/verify/start", { phone });
  await browser.post("/verify/confirm", { code: newestCode(service) });
  const completed = events.find((event) => event.type === "login.completed");
  expect(completed).toMatchObject({ purpose: "verify", completedAt: expect.any(Number) });
  for (const member of ["userId", "knownDevice", "lastProvenAt"]) expect(completed).not.toHaveProperty(member);
});

function throwing(value: unknown): never {
  throw value;
}

const { codes } = serviceOwned;
const named = {
  loginId: expect.any(String),
  purpose: "login",
  country: "DE",
  phone: "+49 ••• ••• 6789",
  phoneFingerprint: expect.any(String),
};
/** The clock of these tests stands still. */
const durationSeconds = 0;
const sent = { channel: "SMS", durationSeconds };

describe("what an operator learns of a login that failed", () => {
  test("a code that was sent, and one that is wrong", async () => {
    const { started, service, events } = await setUpLogin(host, { codes });
    const browser = await started();
    await browser.post("/login/confirm", { code: wrongCode(service) });
    const decided = { country: "DE", knownDevice: false, knownNumber: false, onAlert: false, appOnAlert: false };
    expect(events).toEqual([
      { type: "login.send_decided", outcome: "allowed", ...decided },
      { type: "login.code_sent", ...sent, ...named },
      { type: "login.started", durationSeconds, ...named },
      { type: "login.code_checked", result: "wrong", durationSeconds, ...named },
      { type: "login.code_rejected", attemptsLeft: 4, ...named },
      { type: "login.refused", purpose: "login", step: "confirm", code: "code_rejected", durationSeconds },
    ]);
    expect(new Set(events.flatMap((event) => ("loginId" in event ? [event.loginId] : []))).size).toBe(1);
  });

  test("a code that the service could not check, and one that it did not send, with the error of the service", async () => {
    const { started, open, service, events } = await setUpLogin(host, { codes });
    const browser = await started();
    service.onConfirm = () => ({ status: 503, body: {} });
    await browser.post("/login/confirm", { code: service.code });
    service.onCreate = () => ({ status: 422, body: {} });
    await open().post("/login/start", { phone });
    const error = expect.objectContaining({ code: "service_unavailable" });
    expect(events).toContainEqual({ type: "login.check_failed", durationSeconds, error, ...named });
    expect(events).toContainEqual({ type: "login.send_failed", ...sent, error: expect.any(Error), ...named });
  });

  test("a login that the app could not finish, with the error of the app", async () => {
    const error = new Error("the database is down");
    const onLogin = () => Promise.reject(error);
    const { started, service, events } = await setUpLogin(host, { codes, login: { onLogin } });
    await (await started()).post("/login/confirm", { code: service.code });
    expect(events).toContainEqual({ type: "login.unfinished", error, ...named });
  });

  test("a mistake in a strategy for codes, which looks neither like a refusal nor like an outage of the service", async () => {
    const error = new RangeError("a mistake");
    const failing = { now: false };
    const mistaken: typeof codes = (tools) => {
      const strategy = appCodes()(tools);
      const send: typeof strategy.send = (...given) => (failing.now ? Promise.reject(error) : strategy.send(...given));
      return { ...strategy, send, check: () => Promise.reject(error) };
    };
    const { started, open, service, events } = await setUpLogin(host, { codes: mistaken });
    const checked = await (await started()).post("/login/confirm", { code: wrongCode(service) });
    failing.now = true;
    const refused = await open().post("/login/start", { phone });

    expect([checked.status, checked.headers.get("retry-after"), refused.status]).toEqual([500, null, 500]);
    expect(events).toContainEqual({ type: "login.check_failed", durationSeconds, error, ...named });
    expect(events).toContainEqual({ type: "login.send_failed", ...sent, error, ...named });
  });
});
