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
test.each<[path: string, field: string, changes: object]>([
  ["/messages", "recipients", { recipients: [phone, phone, phone] }],
  ["/messages", "recipients[1]", { recipients: [phone, "015112345678"] }],
  ["/messages", "recipients[0]", { recipients: ["+49 151 12345678"] }],
  ["/messages", "recipients[0]", { recipients: ["+4915112345678 ext. 5"] }],
  ["/messages", "channels", { channels: [sms, sms, sms] }],
  ["/messages", "channels[1].content", { channels: [sms, { ...sms, content: "Hello" }] }],
  ["/messages", "channels[0].content.text", { channels: [{ ...sms, content: { text: "a".repeat(11) } }] }],
  ["/messages", "callback_url", { callback_url: "https://user:pass@localhost/" }],
  ["/messages", "callback_url", { callback_url: null }],
  ["/verifications", "recipient", { recipient: "+1" }],
  ["/verifications", "channels", { channels: [entry, entry, entry] }],
  ["/verifications", "channels[0].channel_name", { channels: [{ ...entry, channel_name: "sms" }] }],
  ["/verifications", "callback_url", { callback_url: "http://10.0.0.1/" }],
])("a request is refused with the name of the field: %s %s: %j", async (path, field, changes) => {
  const { sandbox } = await start({ settings: { maxRecipients: 2, maxChannels: 2, maxTextLength: 10 } });
  const request = path === "/messages" ? messageRequest(changes) : verificationRequest(changes);
  expect(await post(sandbox, path, request)).toMatchObject(refused(422, "request.invalid", field));
  expect(sandbox.inbox.list()).toEqual([]);
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
    ["half of it", '{"recipients":', 400, "request.malformed"],
    ["invalid UTF-8", new Uint8Array([0x22, 0xff, 0x22]), 400, "request.malformed"],
    ["endless nesting", "[".repeat(100_000), 400, "request.malformed"],
    ["a list", "[]", 422, "request.invalid"],
    ["deep nesting", `${"[".repeat(5_000)}${"]".repeat(5_000)}`, 422, "request.invalid"],
  ])("with %s for a body is refused", async (_, body, status, code) => {
    const { sandbox } = await start();
    const response = await fetch(`${sandbox.env.SERVICE_URL}/messages`, { method: "POST", headers: json, body });
    expect(await refusal(response)).toEqual({ status, code });
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
});
