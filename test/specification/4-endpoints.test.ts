import { appCodes } from "@doorcode/core";
import { expect } from "vitest";
import { setUpLogin } from "../support/login-setup.ts";
import { describePart } from "./describe-part.ts";
import { accepted, apiKey, message, startService, verification } from "./support/recorded-service.ts";
import {
  call,
  cascade,
  confirm,
  messageRequest,
  otherPhone,
  phone,
  send,
  startSandbox,
  verificationRequest,
  verify,
} from "./support/sandbox.ts";

/** A service that answers every endpoint of the specification, and a client that has called each. */
async function afterAllCalls() {
  const body = { ...accepted.verification, ...accepted.message, ...accepted.confirmation };
  const { client, requests } = await startService({ body });
  await client.messages.send(message);
  await client.messages.list();
  await client.verifications.create(verification);
  await client.verifications.confirm("ver_1", { otp_code: "123456" });
  return requests;
}

describePart(4, ({ sandbox, kit, kitOnHosts }) => {
  sandbox("endpoints.api-key", async () => {
    const running = await startSandbox();
    const { id, code } = await verify(running);
    const json = { "content-type": "application/json" };
    const answers = [
      await call(running, "POST /messages", messageRequest(), json),
      await call(running, "GET /messages", undefined, {}),
      await call(running, "POST /verifications", verificationRequest(), json),
      await call(running, `POST /verifications/confirmation/${id}`, { otp_code: code }, json),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect((await confirm(running, id, code)).status).toBe(200);
  });

  kit("endpoints.api-key", async () => {
    const requests = await afterAllCalls();
    expect(requests.map(({ headers }) => headers["x-api-key"])).toEqual(Array(4).fill(apiKey));
  });

  sandbox("endpoints.content-type", async () => {
    const running = await startSandbox();
    const headers = { "x-api-key": running.env.SERVICE_API_KEY };
    for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
      const answer = await call(running, "POST /messages", messageRequest(), { ...headers, "content-type": type });
      expect([type, answer.status]).toEqual([type, 415]);
    }
    expect(running.inbox.list()).toEqual([]);
  });

  kit("endpoints.content-type", async () => {
    const requests = await afterAllCalls();
    expect(
      requests.map(({ route, headers, text }) => [route.split(" ")[0], headers["content-type"], text !== ""]),
    ).toEqual([
      ["POST", "application/json", true],
      ["GET", undefined, false],
      ["POST", "application/json", true],
      ["POST", "application/json", true],
    ]);
  });

  kit("endpoints.row-1", async () => {
    const { client, requests } = await startService({ body: accepted.message });
    expect(await client.messages.send(message)).toEqual(accepted.message);
    expect(requests.map(({ route }) => route)).toEqual(["POST /v1/messages"]);
  });

  kit("endpoints.row-2", async () => {
    const { messages } = accepted.message;
    for (const body of [messages, { messages }, { data: messages, total: 1 }]) {
      const { client, requests } = await startService({ body });
      expect(await client.messages.list()).toEqual(messages);
      expect(requests).toMatchObject([{ route: "GET /v1/messages", text: "" }]);
    }
  });

  sandbox("endpoints.row-3", async () => {
    const running = await startSandbox();
    const answer = await call(running, "POST /verifications", verificationRequest());
    expect(answer.json).toMatchObject({ request_id: expect.stringMatching(/./), error_code: "", error_message: "" });
  });

  kit("endpoints.row-3", async () => {
    const { client, requests } = await startService({ body: accepted.verification });
    expect(await client.verifications.create(verification)).toEqual({ request_id: "req_1", verificationId: "ver_1" });
    expect(requests.map(({ route }) => route)).toEqual(["POST /v1/verifications"]);
  });

  kit("endpoints.row-4", async () => {
    const { client, requests } = await startService({ body: accepted.confirmation });
    expect(await client.verifications.confirm("ver 1", { otp_code: "123456" }).catch(({ code }) => code)).toBe(
      "service_invalid_request",
    );
    expect(await client.verifications.confirm("ver:1", { otp_code: "123456" })).toEqual(accepted.confirmation);
    expect(requests.map(({ route, text }) => [route, text])).toEqual([
      ["POST /v1/verifications/confirmation/ver%3A1", '{"otp_code":"123456"}'],
    ]);
  });

  sandbox("endpoints.rules.2", async () => {
    const running = await startSandbox({ behaviours: { [phone]: "only_voice" } });
    const entries = await send(running, { recipients: [phone, otherPhone] });
    await verify(running, cascade("SMS", "VOICE"));
    await running.clock.advance("1m");

    const messages = running.inbox.list();
    expect(messages.slice(0, 2).map(({ id }) => id)).toEqual(entries.map(({ message_id }) => message_id));
    expect(new Set(messages.map(({ id }) => id)).size).toBe(4);
    const [first, second, sms, voice] = messages.map(({ requestId }) => requestId);
    expect([first === second, sms === voice, first === sms]).toEqual([true, true, false]);
  });

  sandbox("endpoints.rules.3", async () => {
    const running = await startSandbox();
    const changes = { recipient: phone, custom_otp: "007007", template: undefined };
    const { id } = await verify(running, changes);
    const [{ text, code } = { text: "", code: "" }] = running.inbox.list();
    expect([text, code]).toEqual(["007007", "007007"]);
    // Not even the right code: only the caller can tell.
    expect(await confirm(running, id, "007007")).toMatchObject({ status: 400, json: { success: false } });
  });

  kitOnHosts("endpoints.rules.3", async (host) => {
    const { started, service } = await setUpLogin(host, { codes: appCodes() });
    const browser = await started();
    const [created] = service.created;
    expect(created?.custom_otp).toMatch(/^\d{6}$/);
    const answer = await browser.post("/login/confirm", { code: created?.custom_otp });
    expect([answer.status, answer.json.status, service.confirmations]).toEqual([200, "logged_in", []]);
  });

  kit("endpoints.rules.5", async () => {
    const { client, sent } = await startService({ body: accepted.verification });
    const channels = [{ channel_name: "CARRIER_PIGEON", priority: 1 }];
    await client.verifications.create({ ...verification, channels });
    expect(sent().channels).toEqual(channels);
  });

  sandbox("endpoints.rules.7", async () => {
    const running = await startSandbox();
    for (const acceptedStatus of [200, 201, 202] as const) {
      const application = running.createApplication({ dialect: { acceptedStatus } });
      expect((await call(application, "POST /verifications", verificationRequest())).status).toBe(acceptedStatus);
    }
  });

  kit("endpoints.rules.7", async () => {
    for (const status of [200, 201, 202, 299]) {
      const { client } = await startService({ status, body: accepted.verification });
      expect(await client.verifications.create(verification)).toMatchObject({ verificationId: "ver_1" });
    }
  });
});
