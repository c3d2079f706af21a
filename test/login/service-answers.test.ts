import { describe, expect, test } from "vitest";
import { appOwned, phone, serviceOwned, setUpLogin } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";
import { refusal } from "../support/scripted-service.ts";

const { codes } = serviceOwned;

describe.each(inMemory)("answers of the service, on $name", (platform) => {
  test.each([
    ["status 404", { status: 404, body: {} }, "no_transaction", 1],
    ["an expired code", refusal("verify.expired"), "code_expired", 1],
    ["too many attempts", refusal("verify.max_attempts_reached"), "attempts_exhausted", 0],
  ])("L18: %s ends the login", async (_what, answer, code, published) => {
    const { started, service, events } = await setUpLogin(platform, { codes });
    const browser = await started();
    service.onConfirm = () => answer;
    const refused = await browser.post("/login/confirm", { code: service.code });

    service.onConfirm = () => undefined;
    const again = await browser.post("/login/confirm", { code: service.code });

    expect([refused.json.code, again.json.code]).toEqual([code, "no_transaction"]);
    expect((await browser.get("/login/state")).json.status).toBe("none");
    expect(events.filter(({ type }) => type === "login.code_ended")).toHaveLength(published);
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
