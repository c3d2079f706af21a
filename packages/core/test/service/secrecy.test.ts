import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createServiceClient, type ServiceClient } from "../../src/service/client.ts";
import { createManualClock } from "../../src/testing.ts";
import { createRedaction } from "../../src/util/redact.ts";
import { apiKey, baseUrl, message, mockService, phone, verification } from "./mock-service.ts";

const appCode = "QX7Tz9";
const secrets = [apiKey, phone, phone.slice(1), appCode, "Your parcel", "Example GmbH", "151 2345"];

/** The secrets of a request, echoed as a hostile or careless service does. */
const echo = `key ${apiKey}, to ${phone} (0151 234 567-89), code ${appCode}, text Your parcel is on its way. Example GmbH`;
const echoes: readonly [place: string, body: unknown][] = [
  ["message", { message: echo }],
  ["error_message", { error_message: echo }],
  ["error.message", { error: { message: echo } }],
  ["errors[0].message", { errors: [{ message: echo }] }],
  ["error_code", { error_code: echo }],
  ["code", { code: `bad_key_${apiKey}` }],
  ["request_id", { request_id: `${apiKey}/${phone}` }],
  ["a page of HTML", `<html>${echo}</html>`],
];

/** The calls of the client, with every secret that they can contain. */
const calls: readonly ((client: ServiceClient) => Promise<unknown>)[] = [
  (client) => client.messages.send(message),
  (client) =>
    client.verifications.create({
      ...verification,
      custom_otp: appCode,
      template: { name: "login", variables: { company: "Example GmbH" } },
    }),
  (client) => client.verifications.confirm("v1", { otp_code: appCode }),
];
/** The secrets of each call. */
const secretsOfCalls: readonly (readonly string[])[] = [
  [apiKey, phone, phone.slice(1), "Your parcel"],
  [apiKey, phone, phone.slice(1), appCode, "Example GmbH"],
  [apiKey, appCode, phone.slice(1)],
];

describe("an error of the client", () => {
  test.each(echoes)("holds no secret that the service echoes in %s", async (_place, body) => {
    for (const status of [307, 400, 401, 404, 422, 429, 500]) {
      const { client } = mockService({ status, body });
      for (const [index, call] of calls.entries()) {
        const error = await call(client).catch((reason: unknown) => reason);
        expect(error).toMatchObject({ name: "DoorcodeError" });
        expectNothingOf(secretsOfCalls[index] ?? [], error);
      }
    }
  });

  test("holds no code of a text that the service echoes as the id of its answer", async () => {
    const { client } = mockService({ status: 422, body: { request_id: "271828" } });
    const [channel] = message.channels;
    const request = { ...message, channels: [{ ...channel, content: { text: "Your code is 271828." } }] };
    const error = await client.messages.send(request).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "DoorcodeError", requestId: undefined });
  });

  test("holds no secret that the service echoes in a refusal with a status of success", async () => {
    const body = { success: false, error_code: "no", message: echo, request_id: `${apiKey}:1` };
    const { client } = mockService({ status: 200, body });
    for (const [index, call] of calls.entries()) {
      const error = await call(client).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ name: "DoorcodeError", requestId: undefined });
      expectNothingOf(secretsOfCalls[index] ?? [], error);
    }
  });

  test("holds no secret that the dispatcher puts into its own errors", async () => {
    const cause = Object.assign(new Error(echo), { code: "UND_ERR_SOCKET", headers: { "x-api-key": apiKey } });
    const { client } = mockService(Object.assign(new Error(echo, { cause }), { code: echo }));
    for (const call of calls) {
      const error = await call(client).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "service_unavailable" });
      expectNothingOf(secrets, error);
    }
  });

  test("holds no secret when the request is wrong", async () => {
    const { client } = mockService({ status: 200 });
    const error = await client.messages
      .send({ ...message, recipients: [`${phone} `], callback_url: `http://${apiKey}@x.example` })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "service_invalid_request" });
    expectNothingOf(secrets, error);
  });

  test("holds the service's text, as one short line", async () => {
    const answered = `Sender\u0000 is not\r\n registered\u2028${"!".repeat(500)}`;
    const { client } = mockService({ status: 422, body: { message: answered } });
    const error = await client.messages.send(message).catch((reason: unknown) => reason);
    const { message: text } = error as Error;
    expect(text).toContain("Sender is not registered !");
    expect(text).not.toMatch(/\p{C}|\u2028/u);
    expect(text.length).toBeLessThan(250);
  });
});

describe("the client", () => {
  test("does not show the API key when it is inspected", async () => {
    const client = createServiceClient({ baseUrl, apiKey, clock: createManualClock() });
    expectNothingOf([apiKey], client);
    await client.close();
  });
});

describe("the redaction", () => {
  const separator = fc.stringMatching(/^[ .()/+:,_\u00a0\u200b\n-]{0,3}$/);

  test("removes every number of four or more digits, with any separators in it", () => {
    const digit = fc.constantFrom(..."0123456789٠١٢٣٤٥٦٧٨٩");
    const spread = fc.array(fc.tuple(digit, separator), { minLength: 4, maxLength: 20 });
    fc.assert(
      fc.property(fc.string(), spread, fc.string(), (before, parts, after) => {
        const cleaned = createRedaction([]).clean(before + parts.flat().join("") + after);
        expect(cleaned.replaceAll(/[^\p{L}\p{N}]/gu, "")).not.toMatch(/\p{Nd}{4}/u);
      }),
    );
  });

  test("removes the whole of a secret, also where the line is cut", () => {
    fc.assert(
      fc.property(fc.integer({ min: 150, max: 210 }), (length) => {
        const cleaned = createRedaction([apiKey]).clean("x".repeat(length) + apiKey);
        expect(cleaned).not.toContain(apiKey.slice(0, 3));
      }),
    );
  });
});

/** Searches every form that people and log collectors see: text, JSON, stack, causes, hidden properties, symbols and getters. */
function expectNothingOf(forbidden: readonly string[], value: unknown): void {
  const options = { showHidden: true, depth: Infinity, getters: true, maxStringLength: null, maxArrayLength: null };
  const seen = [inspect(value, options), JSON.stringify(value), String(value)];
  for (let error = value; error instanceof Error; error = error.cause) {
    seen.push(String(error.stack), JSON.stringify(error, Object.getOwnPropertyNames(error)));
  }
  for (const secret of forbidden) expect(seen.join("\n")).not.toContain(secret);
}
