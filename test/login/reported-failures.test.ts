import { appCodes } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { host } from "../support/hosts.ts";
import { phone, serviceOwned, setUpLogin, wrongCode } from "../support/login-setup.ts";

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
