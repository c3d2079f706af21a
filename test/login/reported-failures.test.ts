import { appCodes } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
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

describe.each(hosts)("what an operator learns of a login that failed, on $name", (host) => {
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
      { type: "login.refused", step: "confirm", code: "code_rejected", durationSeconds },
    ]);
    expect(new Set(events.flatMap((event) => ("loginId" in event ? [event.loginId] : []))).size).toBe(1);
  });

  test("a code that the service could not check, with the error of the service", async () => {
    const { started, service, events } = await setUpLogin(host, { codes });
    const browser = await started();
    service.onConfirm = () => ({ status: 503, body: {} });
    await browser.post("/login/confirm", { code: service.code });
    const error = expect.objectContaining({ code: "service_unavailable" });
    expect(events).toContainEqual({ type: "login.check_failed", durationSeconds, error, ...named });
  });

  test("a code that was not sent, with the error of the service", async () => {
    const { open, service, events } = await setUpLogin(host, { codes });
    service.onCreate = () => ({ status: 422, body: {} });
    await open().post("/login/start", { phone });
    expect(events).toContainEqual({ type: "login.send_failed", ...sent, error: expect.any(Error), ...named });
  });

  test("a login that the app could not finish, with the error of the app", async () => {
    const error = new Error("the database is down");
    const { started, service, events } = await setUpLogin(host, {
      codes,
      login: { onLogin: () => Promise.reject(error) },
    });
    const browser = await started();
    const answer = await browser.post("/login/confirm", { code: service.code });
    expect([answer.status, answer.json.code, answer.headers.get("retry-after")]).toEqual([
      503,
      "login_unfinished",
      "1",
    ]);
    expect(events).toContainEqual({ type: "login.unfinished", error, ...named });
  });

  test("a mistake in a strategy for codes that sends does not look like a refusal of the service", async () => {
    const mistaken: typeof codes = (tools) => ({
      ...appCodes()(tools),
      send: () => Promise.reject(new RangeError("a mistake")),
    });
    const { open, events } = await setUpLogin(host, { codes: mistaken });
    const answer = await open().post("/login/start", { phone });
    expect(answer.status).toBe(500);
    expect(events).toContainEqual({ type: "login.send_failed", ...sent, error: new RangeError("a mistake"), ...named });
  });

  test("a mistake in a strategy for codes does not look like an outage of the service", async () => {
    const mistaken: typeof codes = (tools) => ({
      ...appCodes()(tools),
      check: () => Promise.reject(new RangeError("a mistake")),
    });
    const { started, service, events } = await setUpLogin(host, { codes: mistaken });
    const browser = await started();
    const answer = await browser.post("/login/confirm", { code: wrongCode(service) });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([500, null]);
    expect(events).toContainEqual({
      type: "login.check_failed",
      durationSeconds,
      error: new RangeError("a mistake"),
      ...named,
    });
  });
});
