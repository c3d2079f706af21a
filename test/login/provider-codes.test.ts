import { inspect } from "node:util";
import {
  type CodeToCheck,
  type CodeToRequest,
  createDoorcode,
  type DoorcodeEvent,
  providerCodes,
} from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { hosts } from "../support/hosts.ts";
import { phone, setUpLogin } from "../support/login-setup.ts";

type Send = Parameters<typeof providerCodes>[0]["send"];
type Check = Parameters<typeof providerCodes>[0]["check"];

const checkFailures = (events: readonly DoorcodeEvent[]) =>
  events.flatMap((event) => (event.type === "login.check_failed" ? [event.error] : []));

describe.each(hosts)("codes of another provider on $name", (host) => {
  const setUp = (check: Check, send: Send = ({ sendNumber }) => ({ id: `id ${sendNumber}` }), options = {}) =>
    setUpLogin(host, { codes: providerCodes({ send, check, codeLength: 6, channels: ["SMS", "VOICE"] }), ...options });

  test("are asked for by the id of their newest send, and the service is not asked", async () => {
    const sent: CodeToRequest[] = [];
    const checked: CodeToCheck[] = [];
    const login = await setUp(
      (code) => checked.push(code) > 1,
      (code) => ({ id: `id ${sent.push(code)}` }),
    );
    const browser = await login.started({ phone, channel: "VOICE", language: "de" });
    await browser.post("/login/resend");
    const wrong = await browser.post("/login/confirm", { code: "111111" });
    const right = await browser.post("/login/confirm", { code: "222222" });

    const first = {
      phone,
      purpose: "login",
      channel: "VOICE",
      channels: ["VOICE", "SMS"],
      language: "de",
      sendNumber: 1,
    };
    expect(sent).toMatchObject([first, { ...first, channel: "SMS", channels: ["SMS", "VOICE"], sendNumber: 2 }]);
    expect(checked).toMatchObject([
      { id: "id 2", phone, code: "111111" },
      { id: "id 2", phone, code: "222222" },
    ]);
    expect([wrong.json.code, right.json.status]).toEqual(["newer_code_sent", "logged_in"]);
    expect(login.service.created).toEqual([]);
  });

  test.each<[unknown, number, string]>([
    ["approved", 500, "an error of the app"],
    [{ status: "approved" }, 500, "an error of the app"],
    [1, 500, "an error of the app"],
    [undefined, 500, "an error of the app"],
    ["expired", 400, "code_expired"],
    ["ended", 400, "no_transaction"],
    ["exhausted", 400, "attempts_exhausted"],
    [false, 400, "code_rejected"],
  ])("nobody is logged in by the answer %j", async (answer, status, code) => {
    const login = await setUp((() => answer) as unknown as Check);
    const browser = await login.started();
    const refused = await browser.post("/login/confirm", { code: "123456" });

    expect([refused.status, refused.json?.code ?? "an error of the app"]).toEqual([status, code]);
    expect((await browser.get("/login/state")).json.status).not.toBe("logged_in");
  });

  test("L18: that are not checked within ten seconds use the attempt, and the same code can be tried again", async () => {
    const checking = createBarrier();
    const signals: AbortSignal[] = [];
    const login = await setUp(async ({ signal }) => {
      if (signals.push(signal) === 1) await checking.pass();
      return true;
    });
    const browser = await login.started();
    const unchecked = browser.post("/login/confirm", { code: "123456" });
    await checking.arrived(1);
    await login.clock.advance(10_000);
    const answer = await unchecked;
    checking.open();
    const again = await browser.post("/login/confirm", { code: "123456" });

    expect([answer.status, answer.json.code, answer.json.attemptsLeft]).toEqual([503, "service_unavailable", 4]);
    expect([signals[0]?.aborted, again.json.status]).toEqual([true, "logged_in"]);
    expect(String(checkFailures(login.events)[0])).toContain("providerCodes.check took longer than 10 seconds.");
  });

  test("L10: errors of a provider that hold the request show neither code nor number to anybody", async () => {
    const login = await setUp(({ code, phone: number }) => {
      throw Object.assign(new Error(`no answer for ${number} ${code}`), { request: { code, number } });
    });
    const browser = await login.started();
    const answer = await browser.post("/login/confirm", { code: "271828" });

    expect(answer.json.code).toBe("service_unavailable");
    expect(inspect([login.events, answer.json], { depth: 20, showHidden: true })).not.toMatch(/271828|5123456789/);
  });

  test.each([{}, { id: "" }, { id: 7 }, "VE1", undefined])(
    "a send that returns %j is a mistake of the app",
    async (sent) => {
      const login = await setUp(() => true, (() => sent) as unknown as Send);
      expect((await login.open().post("/login/start", { phone })).status).toBe(500);
    },
  );
});

test("codes of another provider need no service", () => {
  const codes = providerCodes({ send: () => ({ id: "1" }), check: () => true });
  const session = { password: "p".repeat(32) };
  expect(() => createDoorcode({ session, login: { countries: ["DE"], codes, onLogin: () => "1" } })).not.toThrow();
});
