import { createSandbox } from "@doorcode/sandbox";
import { createEmulator } from "emulate";
import supertest from "supertest";
import { expect, onTestFinished, test, vi } from "vitest";
import { createApp } from "../../examples/twilio/app.ts";

/** The account that the emulator of Twilio has. */
const account = {
  TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000000",
  TWILIO_AUTH_TOKEN: "twilio_test_auth_token",
  TWILIO_VERIFY_SERVICE_SID: "VA00000000000000000000000000000000",
};

/** Starts the example with a Twilio on this machine, which is another program than the sandbox. */
async function setUp(keys: Partial<typeof account> = {}) {
  const [twilio, sandbox] = await Promise.all([
    createEmulator({ service: "twilio", port: 0 }),
    createSandbox({ port: 0 }),
  ]);
  onTestFinished(async () => void (await Promise.all([twilio.close(), sandbox.close()])));
  const app = createApp({ ...sandbox.env, ...account, ...keys, TWILIO_VERIFY_URL: `${twilio.url}/verify/v2` });
  const browser = supertest.agent(app).set("sec-fetch-site", "same-origin").set("accept", "application/json");
  return {
    sandbox,
    post: async (path: string, body: object) => (await browser.post(`/login/${path}`).send(body)).body,
    async sentCode(phone: string): Promise<string> {
      const query = new URLSearchParams({ To: phone, ServiceSid: account.TWILIO_VERIFY_SERVICE_SID });
      const authorization = `Basic ${btoa(`${account.TWILIO_ACCOUNT_SID}:${account.TWILIO_AUTH_TOKEN}`)}`;
      const answer = await fetch(`${twilio.url}/_twilio/simulate/verification-code?${query}`, {
        headers: { authorization },
      });
      return ((await answer.json()) as { readonly code: string }).code;
    },
  };
}

test("examples/twilio logs in with a code that Twilio has sent and checked, and the service sends nothing", async () => {
  const { sandbox, post, sentCode } = await setUp();
  const phone = "+4915123456107";
  expect(await post("start", { phone })).toMatchObject({ status: "code_sent", codeLength: 6 });
  const code = await sentCode(phone);
  const wrong = code === "000000" ? "000001" : "000000";
  expect(await post("confirm", { code: wrong })).toMatchObject({ code: "code_rejected", attemptsLeft: 4 });
  expect(await post("confirm", { code })).toMatchObject({ status: "logged_in" });
  expect(sandbox.inbox.list()).toEqual([]);
});

test("examples/twilio sends nothing with a wrong key, and the code does not count for the number", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => warned.mockRestore());
  const { post } = await setUp({ TWILIO_AUTH_TOKEN: "another token" });
  const phone = "+4915123456108";
  expect(await post("start", { phone })).toMatchObject({ code: "service_unavailable" });
  expect(await post("start", { phone })).toMatchObject({ code: "service_unavailable" });
});

test("examples/twilio does not start without its keys", () => {
  expect(() => createApp({})).toThrow("TWILIO_ACCOUNT_SID");
});
