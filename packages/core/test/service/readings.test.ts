import { describe, expect, test } from "vitest";
import type { ServiceClient } from "../../src/service/client.ts";
import { type MockAnswer, message, mockService, verification } from "./mock-service.ts";

/** Each table covers a gap of the specification. Its rows are the possible answers of a service. */

const code = { otp_code: "123456" };

describe("the id of a verification", () => {
  test.each([
    ["verification_id", { verification_id: "v1", id: "x", request_id: "r1" }, "v1"],
    ["data.verification_id", { data: { verification_id: "v1" }, id: "x", request_id: "r1" }, "v1"],
    ["verification.id", { verification: { id: "v1" }, id: "x", request_id: "r1" }, "v1"],
    ["id", { id: "v1", request_id: "r1" }, "v1"],
    ["request_id, when nothing else is there", { request_id: "r1" }, "r1"],
    ["the next field, when one cannot be an id", { verification_id: "", id: "../messages", request_id: "r1" }, "r1"],
    ["no field, when none is there", { error_code: "" }, undefined],
    ["a whole number", { verification_id: 17, request_id: "r1" }, "17"],
    [
      "a number beyond 2^53, with all digits",
      '{"verification_id":9007199254740993,"request_id":"r1"}',
      "9007199254740993",
    ],
    [
      "a number beyond 2^53 that parsing happens to keep",
      '{"verification_id":1764272645123456800,"request_id":"r1"}',
      "1764272645123456800",
    ],
  ])("is read from %s", async (_place, body, verificationId) => {
    const { client } = mockService({ status: 200, body });
    expect(await client.verifications.create(verification)).toMatchObject({ verificationId });
  });

  test("is read by the app's own function", async () => {
    const body = { verification_id: "x", payload: [{ ref: "v1" }] };
    const readVerificationId = (answer: unknown) => (answer as typeof body).payload[0]?.ref;
    const { client } = mockService({ status: 200, body }, { readVerificationId });
    expect(await client.verifications.create(verification)).toMatchObject({ verificationId: "v1" });
  });

  test.each([undefined, "", "../messages"])("is undefined when the app's own function returns %j", async (read) => {
    const body = { verification_id: "x" };
    const { client } = mockService({ status: 200, body }, { readVerificationId: () => read });
    expect(await client.verifications.create(verification)).toMatchObject({ verificationId: undefined });
  });
});

describe("the creation of a verification", () => {
  test.each([
    ["a code of the service", "template.unknown", "service_invalid_request"],
    ["a sender that is not registered", "message.sender_not_registered", "sender_not_registered"],
    ["a number", 1001, "service_invalid_request"],
  ])("is refused by %s in error_code, despite its status", async (_what, error_code, expected) => {
    const body = { request_id: "r1", error_code, error_message: "no" };
    const refusal = { code: expected, outcome: "refused", requestId: "r1" };
    const { client } = mockService({ status: 200, body });
    await expect(client.verifications.create(verification)).rejects.toMatchObject(refusal);
    await expect(client.messages.send(message)).rejects.toMatchObject(refusal);
  });

  test.each(["", "<html></html>", "[]", '"v1"', "null", "{"])("is unreadable with the body %j", async (body) => {
    const { client } = mockService({ status: 200, body });
    const unreadable = { code: "service_unreadable", outcome: "unknown" };
    await expect(client.verifications.create(verification)).rejects.toMatchObject(unreadable);
  });
});

describe("a confirmation", () => {
  test.each([200, 201, 204])("approves with status %d and success: true", async (status) => {
    const { client } = mockService({ status, body: { success: true, message: "approved" } });
    expect(await client.verifications.confirm("v1", code)).toEqual({ success: true, message: "approved" });
  });

  test.each([
    '{"success":"true"}',
    '{"success":1}',
    '{"success":null}',
    '{"data":{"success":true}}',
    '{"__proto__":{"success":true}}',
    '[{"success":true}]',
    '{"success":true',
    "",
    "<html>success: true</html>",
  ])("W18: never approves with 200 and %s", async (body) => {
    const { client } = mockService({ status: 200, body });
    const unreadable = { code: "service_unreadable", outcome: "unknown" };
    await expect(client.verifications.confirm("v1", code)).rejects.toMatchObject(unreadable);
  });

  test.each([
    ["verify.expired", "verify.expired"],
    ["No.", "verify.invalid_code"],
  ])("L35: with 200, success: false and the message %s is refused: %s", async (message, found) => {
    const { client } = mockService({ status: 200, body: { success: false, message } });
    await expect(client.verifications.confirm("v1", code)).rejects.toMatchObject({ code: found });
  });
});

describe("the code of a refused confirmation", () => {
  const codes = ["verify.invalid_code", "verify.expired", "verify.max_attempts_reached"] as const;
  const places: readonly [place: string, body: (found: string) => object][] = [
    ["error_code", (found) => ({ success: false, message: "Refused.", error_code: found })],
    ["code", (found) => ({ success: false, message: "Refused.", code: found })],
    ["error.code", (found) => ({ error: { code: found, message: "Refused." } })],
    ["errors[0].code", (found) => ({ errors: [{ code: found }, { code: "other" }] })],
    ["the first word of message", (found) => ({ success: false, message: `${found}: refused.` })],
    ["the only word of message", (found) => ({ success: false, message: found })],
    ["message, after an unknown code", (found) => ({ error_code: "", code: 400, message: `[${found}] Refused.` })],
  ];

  test.each(places.flatMap(([place, body]) => codes.map((found) => [place, found, body] as const)))(
    "is read from %s: %s",
    async (_place, found, body) => {
      const { client } = mockService({ status: 400, body: body(found) });
      const refusal = { code: found, outcome: "refused" };
      await expect(client.verifications.confirm("v1", code)).rejects.toMatchObject(refusal);
    },
  );

  test.each([
    [401, "service_invalid_request"],
    [403, "service_invalid_request"],
    [404, "service_not_found"],
    [409, "service_invalid_request"],
    [422, "service_invalid_request"],
    [429, "service_rate_limited"],
    [503, "service_unavailable"],
  ])("L35: judges no code with status %d: %s", async (status, found) => {
    for (const error_code of codes) {
      const { client } = mockService({ status, body: { success: false, message: "Refused.", error_code } });
      await expect(client.verifications.confirm("v1", code)).rejects.toMatchObject({ code: found });
    }
  });

  test("is not read from the middle of a sentence", async () => {
    const body = { success: false, message: "Not a case of verify.expired, but of a field" };
    const { client } = mockService({ status: 400, body });
    await expect(client.verifications.confirm("v1", code)).rejects.toMatchObject({ code: "service_invalid_request" });
  });
});

describe("a refusal", () => {
  const bodies: readonly unknown[] = ["", "<html>No</html>", "null", [], {}, { message: "No." }, { error: "no" }];
  const statuses: readonly [status: number, code: string, outcome: string][] = [
    [301, "service_unreadable", "unknown"],
    [307, "service_unreadable", "unknown"],
    [400, "service_invalid_request", "refused"],
    [401, "service_unauthorized", "refused"],
    [403, "service_unauthorized", "refused"],
    [404, "service_not_found", "refused"],
    [408, "service_unavailable", "unknown"],
    [409, "service_invalid_request", "refused"],
    [422, "service_invalid_request", "refused"],
    [429, "service_rate_limited", "refused"],
    [500, "service_unavailable", "unknown"],
    [502, "service_unavailable", "unknown"],
    [503, "service_unavailable", "unknown"],
  ];

  test.each(statuses)("is classified by status %d alone: %s, %s", async (status, code, outcome) => {
    for (const body of bodies) {
      const { client, sent } = mockService({ status, body });
      await expect(client.verifications.create(verification)).rejects.toMatchObject({ code, outcome });
      await expect(client.messages.list()).rejects.toMatchObject({ code, outcome });
      expect(sent).toHaveLength(2);
    }
  });

  test.each<[string, MockAnswer]>([
    ["422", { status: 422, body: { error_code: "message.sender_not_registered" } }],
    ["400", { status: 400, body: { errors: [{ code: "sender_not_registered" }] } }],
    ["403", { status: 403, body: { message: "message.sender_not_registered: register it first" } }],
  ])("of an unregistered sender is recognized by its code, with status %s", async (_status, answer) => {
    const { client } = mockService(answer);
    const refusal = { code: "sender_not_registered", outcome: "refused" };
    await expect(client.messages.send(message)).rejects.toMatchObject(refusal);
  });
});

describe("accepted messages", () => {
  test("keep the fields of the specification and all others", async () => {
    const accepted = { message_id: "m1", recipient: message.recipients[0], status: "QUEUED", segments: 1 };
    const body = { request_id: "r1", status: "SUCCESS", messages: [accepted] };
    const { client } = mockService({ status: 200, body });
    expect(await client.messages.send(message)).toEqual(body);
  });

  test.each([{}, { messages: {} }, { messages: [{ status: "QUEUED" }] }])(
    "are unreadable with the body %j",
    async (body) => {
      const { client } = mockService({ status: 200, body });
      const unreadable = { code: "service_unreadable", outcome: "unknown" };
      await expect(client.messages.send(message)).rejects.toMatchObject(unreadable);
    },
  );
});

describe("the list of messages", () => {
  const records = [{ message_id: "m1", status: "DELIVERED", price: 0.07 }, { status_updated_at: 1_790_000_000 }];

  test.each<[string, unknown]>([
    ["a list", records],
    ["an object with messages", { messages: records }],
    ["an object with messages beside another list", { errors: [], messages: records }],
    ["an object with a list of another name", { total: 2, errors: [], data: records, links: {} }],
  ])("is read from %s", async (_form, body) => {
    const { client } = mockService({ status: 200, body });
    expect(await client.messages.list()).toEqual(records);
  });

  test("omits a field of the wrong type and keeps the record", async () => {
    const { client } = mockService({ status: 200, body: [{ message_id: {}, recipient: null, status: "SENT" }] });
    expect(await client.messages.list()).toMatchObject([{ message_id: undefined, status: "SENT" }]);
  });

  test("skips entries that are not records and keeps the others", async () => {
    const { client } = mockService({ status: 200, body: { messages: [null, records[0], "m2", [], 7] } });
    expect(await client.messages.list()).toEqual([records[0]]);
  });

  test("has the ids that webhooks have, also if they are numbers", async () => {
    const { client } = mockService({ status: 200, body: [{ message_id: 5, status: "SENT" }] });
    expect(await client.messages.list()).toMatchObject([{ message_id: "5" }]);
  });

  test.each(["", "{}", '{"messages":{}}', '{"messages":[1]}', "17", "<html></html>"])(
    "is unreadable with the body %j",
    async (body) => {
      const { client } = mockService({ status: 200, body });
      await expect(client.messages.list()).rejects.toMatchObject({ code: "service_unreadable" });
    },
  );
});

describe("an error says where the developer should look", () => {
  test.each<[string, (client: ServiceClient) => Promise<unknown>]>([
    ["/messages", (client) => client.messages.send(message)],
    ["/messages", (client) => client.messages.list()],
    ["/verifications", (client) => client.verifications.create(verification)],
  ])("when nothing answers at %s, which every service has", async (path, call) => {
    const { client } = mockService({ status: 404, body: "<h1>Not found</h1>" });
    await expect(call(client)).rejects.toMatchObject({
      code: "service_not_found",
      message: expect.stringContaining(`${path} below service.baseUrl`),
    });
  });

  test("and not when a verification is unknown, whose path is right", async () => {
    const { client } = mockService({ status: 404, body: {} });
    const rejected = expect(client.verifications.confirm("v1", code)).rejects;
    await rejected.toMatchObject({ message: expect.not.stringContaining("baseUrl") });
  });

  test("when a request with a template is refused, which may not be known", async () => {
    const { client } = mockService({ status: 422, body: { error_code: "no_template", error_message: "Unknown." } });
    await expect(client.verifications.create(verification)).rejects.toMatchObject({
      code: "service_invalid_request",
      message: expect.stringMatching(/no_template Unknown\. The template is "login": look whether/),
    });
  });
});
