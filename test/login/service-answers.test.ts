import { describe, expect, test } from "vitest";
import { appOwned, phone, serviceOwned, setUpLogin } from "../support/login-setup.ts";
import { openPlatforms } from "../support/platforms.ts";
import { refusal, type ServiceAnswer } from "../support/scripted-service.ts";

const { everyStore } = await openPlatforms();
const { codes } = serviceOwned;

describe.each(everyStore(0))("answers of the service, on $name", (platform) => {
  test.each<{ what: string; answer: ServiceAnswer; code: string; retryAfter: string; attemptsLeft: number }>([
    { what: "5xx", answer: { status: 503, body: {} }, code: "service_unavailable", retryAfter: "2", attemptsLeft: 4 },
    {
      what: "429",
      answer: { status: 429, body: {}, headers: { "retry-after": "7" } },
      code: "service_rate_limited",
      retryAfter: "7",
      attemptsLeft: 5,
    },
    {
      what: "a refused API key",
      answer: { status: 401, body: {} },
      code: "service_unavailable",
      retryAfter: "2",
      attemptsLeft: 5,
    },
  ])(
    "L18, L34: after $what the login stays, with $attemptsLeft attempts, and the same code is right",
    async (given) => {
      const { started, service } = await setUpLogin(platform, { codes });
      const browser = await started();
      service.onConfirm = () => given.answer;
      const failed = await browser.post("/login/confirm", { code: service.code });
      const { attemptsLeft } = (await browser.get("/login/state")).json;
      service.onConfirm = () => undefined;
      const again = await browser.post("/login/confirm", { code: service.code });

      expect([failed.status, failed.json.code, failed.headers.get("retry-after")]).toEqual([
        503,
        given.code,
        given.retryAfter,
      ]);
      expect([failed.json.attemptsLeft, attemptsLeft]).toEqual([given.attemptsLeft, given.attemptsLeft]);
      expect(again.json.status).toBe("logged_in");
    },
  );

  test.each([
    { what: "status 404", answer: { status: 404, body: {} }, code: "no_transaction", published: ["login.code_ended"] },
    {
      what: "an expired code",
      answer: refusal("verify.expired"),
      code: "code_expired",
      published: ["login.code_ended"],
    },
    {
      what: "too many attempts",
      answer: refusal("verify.max_attempts_reached"),
      code: "attempts_exhausted",
      published: [],
    },
  ])("L18: $what ends the login", async ({ answer, code, published }) => {
    const { started, service, events } = await setUpLogin(platform, { codes });
    const browser = await started();
    service.onConfirm = () => answer;
    const refused = await browser.post("/login/confirm", { code: service.code });

    service.onConfirm = () => undefined;
    const again = await browser.post("/login/confirm", { code: service.code });

    expect([refused.json.code, again.json.code]).toEqual([code, "no_transaction"]);
    expect((await browser.get("/login/state")).json.status).toBe("none");
    expect(events.map((event) => event.type).filter((type) => type === "login.code_ended")).toEqual(published);
  });

  test.each<{ what: string; answer: ServiceAnswer }>([
    { what: 'success "true"', answer: { status: 200, body: { success: "true", message: "" } } },
    { what: "HTML", answer: { status: 200, body: "<html>true</html>" } },
    { what: "status 302 with success true", answer: { status: 302, body: { success: true } } },
  ])("W18: $what does not approve the code", async ({ answer }) => {
    const { started, service, logins } = await setUpLogin(platform, { codes });
    const browser = await started();
    service.onConfirm = () => answer;
    const refused = await browser.post("/login/confirm", { code: service.code });

    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(logins).toHaveLength(0);
    expect((await browser.get("/account")).status).toBe(401);
  });

  test.each<{ what: string; answer: ServiceAnswer }>([
    { what: "400 with a known code in error_code", answer: refusal("verify.invalid_code") },
    {
      what: "400 with a known code in message",
      answer: { status: 400, body: { success: false, message: "verify.invalid_code: no" } },
    },
    { what: "200 with success false", answer: { status: 200, body: { success: false, message: "No." } } },
  ])("L35: $what is a wrong code", async ({ answer: given }) => {
    const { started, service, events } = await setUpLogin(platform, { codes });
    const browser = await started();
    service.onConfirm = () => given;
    const answer = await browser.post("/login/confirm", { code: service.code });
    expect(answer.json).toMatchObject({ code: "code_rejected", attemptsLeft: 4 });
    expect(events.map(({ type }) => type)).toContain("login.code_rejected");
  });

  test("a login that holds no verification id, from when the app owned the codes, ends without asking the service", async () => {
    const app = platform.deploy();
    const before = await setUpLogin(platform, { app, codes: appOwned.codes });
    before.service.onCreate = () => ({ status: 200, body: { error_code: "" } });
    const browser = await before.started();
    const after = await setUpLogin(platform, { app, codes });
    const moved = after.open();
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
    const answer = await moved.post("/login/confirm", { code: after.service.code });

    expect([answer.json.code, after.service.confirmations.length]).toEqual(["no_transaction", 0]);
  });

  test("an answer of the service without a verification id is a failed send", async () => {
    const { open, service, events } = await setUpLogin(platform, { codes });
    service.onCreate = () => ({ status: 200, body: { error_code: "" } });
    const answer = await open().post("/login/start", { phone });
    expect(answer.json.code).toBe("send_failed");
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "login.send_failed",
        error: expect.objectContaining({
          code: "service_unreadable",
          outcome: "unknown",
          message: expect.stringContaining("service.readVerificationId"),
        }),
      }),
    );
  });
});
