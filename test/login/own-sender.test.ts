import { inspect } from "node:util";
import { appCodes, type CodeToSend, DoorcodeError, type DoorcodeEvent, type SendCode } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { host } from "../support/hosts.ts";
import { type LoginSetupOptions, phone, setUpLogin } from "../support/login-setup.ts";

const failures = (events: readonly DoorcodeEvent[]) =>
  events.flatMap((event) => (event.type === "login.send_failed" ? [event.error] : []));

describe("a sender of the app's own", () => {
  const setUp = (send: SendCode, options: LoginSetupOptions = {}, channels?: readonly string[]) =>
    setUpLogin(host, { codes: appCodes({ send, ...(channels && { channels }) }), ...options });

  test("is called once for each code, with all that it needs; the code that it was given is right", async () => {
    const sent: CodeToSend[] = [];
    const login = await setUp((code) => void sent.push(code), {}, ["SMS", "EMAIL"]);
    const browser = await login.started({ phone: "0151 23456789", language: "de-de", channel: "EMAIL" });
    await browser.post("/login/resend");
    const [{ code = "", loginId = "" } = {}] = sent;
    const first = {
      phone,
      code: expect.stringMatching(/^\d{6}$/),
      text: `Ihr Code zum Anmelden ist ${code}. Bitte nicht weitergeben.\n\n@localhost #${code}`,
      channel: "EMAIL",
      channels: ["EMAIL", "SMS"],
      language: "de-DE",
      purpose: "login",
      loginId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sendNumber: 1,
      signal: expect.any(AbortSignal),
    };

    expect(sent).toEqual([first, { ...first, loginId, channel: "SMS", channels: ["SMS", "EMAIL"], sendNumber: 2 }]);
    expect((await browser.post("/login/confirm", { code })).json.status).toBe("logged_in");
    expect(login.service.created).toEqual([]);
  });

  test('L15: that answers "unavailable" has sent nothing: the number\'s budget is as it was', async () => {
    const answers = ["unavailable", undefined] as const;
    let sends = 0;
    const limits = { cooldownSeconds: 30, sendsPerPhone: 1 };
    const login = await setUp(() => answers[sends++], { login: { limits } });
    const refused = await login.open().post("/login/start", { phone });
    const again = await login.open().post("/login/start", { phone });

    expect([refused.status, refused.json.code, again.status]).toEqual([503, "service_unavailable", 200]);
    expect(failures(login.events)).toMatchObject([{ code: "service_unavailable", outcome: "refused" }]);
  });

  test("L15: that throws an error of another call of the kit may have sent the code, whatever the error says", async () => {
    const send = () => Promise.reject(new DoorcodeError("sender_not_registered", { outcome: "refused" }));
    const login = await setUp(send, { login: { limits: { cooldownSeconds: 30, sendsPerPhone: 1 } } });
    const unknown = await login.open().post("/login/start", { phone });
    const again = await login.open().post("/login/start", { phone });

    expect([unknown.status, unknown.json.code, unknown.headers.get("retry-after")]).toEqual([
      503,
      "service_unavailable",
      "5",
    ]);
    expect(again.json.code).toBe("send_limit_reached");
    expect(failures(login.events)).toMatchObject([{ code: "service_unavailable", outcome: "unknown" }]);
  });

  test("L18: that does not answer in ten seconds is told to stop; the code that it sent all the same is right", async () => {
    const sent: CodeToSend[] = [];
    const sending = createBarrier();
    const login = await setUp(async (code) => {
      sent.push(code);
      if (sent.length === 2) await sending.pass();
    });
    const browser = await login.started();
    const resent = browser.post("/login/resend");
    await sending.arrived(1);
    await login.clock.advance(9999);
    const before = sent[1]?.signal.aborted;
    await login.clock.advance(1);
    const answer = await resent;
    const after = sent[1]?.signal.aborted;
    sending.open();

    expect([before, after, answer.status, answer.json.code]).toEqual([false, true, 503, "service_unavailable"]);
    expect(String(failures(login.events)[0])).toContain("appCodes.send took longer than 10 seconds.");
    expect((await browser.post("/login/confirm", { code: sent[1]?.code })).json.status).toBe("logged_in");
  });

  test.each([
    ["the answer of a provider", { ok: false, status: 422 }],
    ["a word that says nothing", "sent"],
    ["false", false],
  ])("that returns %s is a mistake of the app, which its first login shows", async (_what, returned) => {
    const login = await setUp((() => returned) as unknown as SendCode);
    const answer = await login.open().post("/login/start", { phone });

    expect(answer.status).toBe(500);
    expect(String(failures(login.events)[0])).toMatch(/appCodes\.send must return nothing, or "refused" or "unavail/);
  });

  test("L10: whose errors hold the request that failed shows neither code, nor text, nor number to anybody", async () => {
    const sent: CodeToSend[] = [];
    const answers: string[] = [];
    const login = await setUp(({ signal: _, ...code }) => {
      sent.push({ ...code, signal: AbortSignal.abort() });
      const cause = new Error(`${code.code} to ${code.phone}`);
      const request = { body: JSON.stringify(code), headers: { authorization: "key_of_the_provider" } };
      const spaced = [...code.code].join(" ");
      throw Object.assign(
        new TypeError(`refused ${code.code}, ${spaced}, "${code.text}" for ${code.phone}`, { cause }),
        { code: "E_PROVIDER", request },
      );
    });
    const warnings: string[] = [];
    const warn = (warning: Error) => warnings.push(inspect(warning));
    process.on("warning", warn);
    for (const body of [{ phone }, { phone, language: "de" }]) {
      const { text, headers } = await login.open().post("/login/start", body);
      answers.push(text, inspect([...headers]));
    }
    const form = await login.open().submit("/login/start", { phone });
    process.off("warning", warn);
    answers.push(form.text, inspect([...form.headers]));

    const shown = [...answers, ...warnings, inspect(login.events, { depth: null, showHidden: true })].join("\n");
    expect(sent).toHaveLength(3);
    for (const { code } of sent) {
      for (const secret of [code, [...code].join(" "), phone, phone.slice(1), "key_of_the"]) {
        expect(shown).not.toContain(secret);
      }
    }
    expect(failures(login.events).map(String)).toEqual(
      Array(3).fill(expect.stringMatching(/^DoorcodeError: appCodes\.send failed: TypeError E_PROVIDER refused /)),
    );
  });
});
