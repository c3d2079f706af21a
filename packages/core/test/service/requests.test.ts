import { describe, expect, test } from "vitest";
import type { MessageRequest } from "../../src/service/messages.ts";
import type { VerificationRequest } from "../../src/service/verifications.ts";
import { message, mockService, phone, verification } from "./mock-service.ts";

const accepted = { status: 200, body: { request_id: "r1", error_code: "", error_message: "", messages: [] } };

describe("a request that is sent", () => {
  test("is a verification with a template, which always has variables", async () => {
    const { client, sent } = mockService(accepted);
    await client.verifications.create({ ...verification, template: { name: "login" }, callback_url: undefined });
    expect(sent).toMatchObject([{ method: "POST", path: "/v1/verifications" }]);
    expect(sent[0]?.body).toEqual({ ...verification, template: { name: "login", variables: {} } });
  });

  test("is a verification with a code of the app and no template", async () => {
    const { client, sent } = mockService(accepted);
    const { template: _, ...withoutTemplate } = verification;
    await client.verifications.create({ ...withoutTemplate, custom_otp: "004217" });
    expect(sent[0]?.body).toEqual({ ...withoutTemplate, custom_otp: "004217" });
  });
});

const refusedMessages: readonly [field: string, change: Record<string, unknown>][] = [
  ["recipients", { recipients: [] }],
  ["recipients[0]", { recipients: ["015123456789"] }],
  ["channels", { channels: [] }],
  ["channels[0].channel", { channels: [{ ...message.channels[0], channel: "FAX" }] }],
  ["channels[0].sender", { channels: [{ ...message.channels[0], sender: "" }] }],
  ["callback_url", { callback_url: "http://app.example.com/webhooks" }],
  ["request", { recipient: phone }],
];

const refusedVerifications: readonly [field: string, change: Record<string, unknown>][] = [
  ["recipient", { recipient: "4915123456789" }],
  ["template", { template: undefined }],
  ["template.name", { template: { name: "" } }],
  ["template.variables.app", { template: { name: "login", variables: { app: 4242 } } }],
  ["channels", { channels: [] }],
  ["channels[0].priority", { channels: [{ channel_name: "SMS", priority: 0 }] }],
  ["custom_otp", { custom_otp: "1234\n" }],
  ["callback_url", { callback_url: "ftp://127.0.0.1/" }],
];

const refusedIds = ["", ".", "..", "a/../b", "a/b", "a\\b", "a b", "a\r\nb", "a\u0000", "ä", "x".repeat(201)];

describe("a wrong request", () => {
  test.each(refusedMessages)("is refused before it is sent, for %s: %j", async (field, change) => {
    const { client, sent } = mockService(accepted);
    const refusal = client.messages.send({ ...message, ...change } as unknown as MessageRequest);
    await expect(refusal).rejects.toMatchObject(refusalOf(field));
    expect(sent).toEqual([]);
  });

  test.each(refusedVerifications)("is refused before it is sent, for %s: %j", async (field, change) => {
    const { client, sent } = mockService(accepted);
    const refusal = client.verifications.create({ ...verification, ...change } as unknown as VerificationRequest);
    await expect(refusal).rejects.toMatchObject(refusalOf(field));
    expect(sent).toEqual([]);
  });

  test.each(refusedIds)("is refused before it is sent, for the verification id %j", async (id) => {
    const { client, sent } = mockService({ status: 200, body: { success: true } });
    const refusal = client.verifications.confirm(id, { otp_code: "123456" });
    await expect(refusal).rejects.toMatchObject(refusalOf("verificationId"));
    expect(sent).toEqual([]);
  });

  test.each(["", "12 34", "1234\n"])("is refused before it is sent, for the code %j", async (otp_code) => {
    const { client, sent } = mockService({ status: 200, body: { success: true } });
    await expect(client.verifications.confirm("v1", { otp_code })).rejects.toMatchObject(refusalOf("otp_code"));
    expect(sent).toEqual([]);
  });

  test.each(["http://localhost:3000/webhooks", "http://127.0.0.1/", "http://[::1]:8080/", "http://app.localhost/"])(
    "is not one with the callback %s on this machine",
    async (callback_url) => {
      const { client, sent } = mockService(accepted);
      await client.messages.send({ ...message, callback_url });
      expect(sent).toHaveLength(1);
    },
  );
});

/** Matches a refusal that names the field and shows nothing of its value. */
function refusalOf(field: string) {
  return {
    code: "service_invalid_request",
    outcome: "refused",
    message: expect.toSatisfy((text: string) => text.startsWith(`${field}: `) && !/\d{4}|secret/.test(text)),
  };
}
