import { describe, expect, test } from "vitest";
import { messageRequest, phone, post, refused, start, verificationRequest } from "./support/start.ts";

const sms = { channel: "SMS", sender: "Doorcode", content: { text: "Hello" } };
const entry = { channel_name: "SMS", priority: 1 };

async function refusal(response: Response) {
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  const body = (await response.json()) as Record<string, unknown>;
  expect(body.error_message).toEqual(expect.any(String));
  return { status: response.status, code: body.error_code };
}

// What each field must hold is shown by test/specification.
describe("a message request is refused with the name of the field", () => {
  test.each([
    ["recipients", { recipients: [phone, phone, phone] }],
    ["recipients[1]", { recipients: [phone, "015112345678"] }],
    ["recipients[0]", { recipients: ["+49 151 12345678"] }],
    ["recipients[0]", { recipients: ["+4915112345678 ext. 5"] }],
    ["channels", { channels: [sms, sms, sms] }],
    ["channels[0].channel", { channels: [{ ...sms, channel: "WHATSAPP" }] }],
    ["channels[1].content", { channels: [sms, { ...sms, content: "Hello" }] }],
    ["channels[0].content.text", { channels: [{ ...sms, content: { text: "a".repeat(11) } }] }],
    ["callback_url", { callback_url: "https://user:pass@localhost/" }],
    ["callback_url", { callback_url: "/hook" }],
    ["callback_url", { callback_url: null }],
  ])("%s: %j", async (field, changes) => {
    const { sandbox } = await start({ settings: { maxRecipients: 2, maxChannels: 2, maxTextLength: 10 } });
    expect(await post(sandbox, "/messages", messageRequest(changes))).toMatchObject(
      refused(422, "request.invalid", field),
    );
    expect(sandbox.inbox.list()).toEqual([]);
  });
});

describe("a verification request is refused with the name of the field", () => {
  test.each([
    ["recipient", { recipient: "+1" }],
    ["channels", { channels: [entry, entry, entry] }],
    ["channels[0].channel_name", { channels: [{ ...entry, channel_name: "sms" }] }],
    ["callback_url", { callback_url: "http://10.0.0.1/" }],
  ])("%s: %j", async (field, changes) => {
    const { sandbox } = await start({ settings: { maxChannels: 2 } });
    expect(await post(sandbox, "/verifications", verificationRequest(changes))).toMatchObject(
      refused(422, "request.invalid", field),
    );
    expect(sandbox.inbox.list()).toEqual([]);
  });
});

test("no refusal contains the refused number, code or key", async () => {
  const { sandbox } = await start();
  const recipient = "+49 151 99 88 77 66";
  const answers = [
    await post(sandbox, "/messages", messageRequest({ recipients: [recipient] })),
    await post(sandbox, "/verifications", verificationRequest({ recipient, custom_otp: "8".repeat(40) })),
    await post(sandbox, "/verifications/confirmation/ver_nope", { otp_code: "998877".repeat(20) }),
  ];
  const text = JSON.stringify(answers);
  for (const secret of ["99 88", "8888", "998877", sandbox.env.SERVICE_API_KEY]) expect(text).not.toContain(secret);
});

describe("an invalid request", () => {
  const key = { "X-API-KEY": "sandbox-api-key" };
  const json = { ...key, "Content-Type": "application/json" };

  test.each([
    ["no content type", key, 415, "request.unsupported_media_type"],
    ["another JSON", { ...key, "Content-Type": "application/jsonp" }, 415, "request.unsupported_media_type"],
  ])("with %s is 415", async (_, headers, status, code) => {
    const { sandbox } = await start();
    const body = new Blob([JSON.stringify(messageRequest())]);
    const response = await fetch(`${sandbox.env.SERVICE_URL}/messages`, { method: "POST", headers, body });
    expect(await refusal(response)).toEqual({ status, code });
  });

  test("is accepted with a charset in its content type", async () => {
    const { sandbox } = await start();
    const headers = { ...key, "Content-Type": "Application/JSON; charset=utf-8" };
    const body = JSON.stringify(messageRequest());
    expect((await fetch(`${sandbox.env.SERVICE_URL}/messages`, { method: "POST", headers, body })).status).toBe(200);
  });

  test.each([
    ["nothing", ""],
    ["half of it", '{"recipients":'],
    ["a form", "recipients=1"],
    ["invalid UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
    ["endless nesting", "[".repeat(100_000)],
  ])("with %s for a body is 400", async (_, body) => {
    const { sandbox } = await start();
    const response = await fetch(`${sandbox.env.SERVICE_URL}/messages`, { method: "POST", headers: json, body });
    expect(await refusal(response)).toEqual({ status: 400, code: "request.malformed" });
  });

  test.each([
    ["null", "null"],
    ["a list", "[]"],
    ["a text", '"text"'],
    ["deep nesting", `${"[".repeat(5_000)}${"]".repeat(5_000)}`],
  ])("with %s for a body is 422", async (_, body) => {
    const { sandbox } = await start();
    const response = await fetch(`${sandbox.env.SERVICE_URL}/messages`, { method: "POST", headers: json, body });
    expect(await refusal(response)).toEqual({ status: 422, code: "request.invalid" });
  });

  test.each([
    ["a declared length", (text: string) => text],
    ["chunks", (text: string) => new Blob([text]).stream()],
  ])("is 413 above the limit and accepted at the limit, with %s", async (_, bodyOf) => {
    const { sandbox } = await start({ settings: { maxBodyBytes: 1_000 } });
    const request = JSON.stringify(messageRequest());
    const send = (length: number) =>
      fetch(`${sandbox.env.SERVICE_URL}/messages`, {
        method: "POST",
        headers: json,
        body: bodyOf(request.padEnd(length)),
        duplex: "half",
      } as RequestInit);
    expect((await send(1_000)).status).toBe(200);
    expect(await refusal(await send(1_001))).toEqual({ status: 413, code: "request.too_large" });
  });

  test("is 413 for an endless body, even when a fault reads it first", async () => {
    const { sandbox } = await start({ port: "none" });
    sandbox.faults.add({ on: "POST /messages", to: phone, action: { type: "answer", status: 503 } });
    let chunks = 0;
    const body = new ReadableStream({
      pull(controller) {
        chunks++;
        controller.enqueue(new TextEncoder().encode(" ".repeat(100_000)));
      },
    });
    const init = { method: "POST", headers: json, body, duplex: "half" } as RequestInit;
    const response = await sandbox.fetch(new Request(`${sandbox.env.SERVICE_URL}/messages`, init));
    expect(await refusal(response)).toEqual({ status: 413, code: "request.too_large" });
    expect(chunks).toBeLessThan(20);
  });

  test("is 413 at 5 MB, and the connection serves the next request", async () => {
    const { sandbox } = await start();
    const body = " ".repeat(5_000_000);
    const response = await fetch(`${sandbox.env.SERVICE_URL}/messages`, { method: "POST", headers: json, body });
    expect(await refusal(response)).toEqual({ status: 413, code: "request.too_large" });
    expect((await post(sandbox, "/messages", messageRequest())).status).toBe(200);
  });

  test("to an unknown route is 404, inside and outside of the API", async () => {
    const { sandbox } = await start();
    for (const path of ["/v1/nowhere", "/v1", "/v1/messages/1", "/_sandbox/nowhere", "/favicon.ico"]) {
      expect(await refusal(await fetch(`${sandbox.url}${path}`, { headers: key }))).toEqual({
        status: 404,
        code: "request.not_found",
      });
    }
  });
});
