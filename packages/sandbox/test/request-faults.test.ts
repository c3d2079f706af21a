import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Fault } from "../src/index.ts";
import {
  confirm,
  headersOf,
  messageRequest,
  phone,
  post,
  start,
  startVerification,
  verificationRequest,
} from "./support/start.ts";

const other = "+436641234567";

describe("a fault on requests", () => {
  test("answers instead of the service, `times` times, and the next request is served normally", async () => {
    const { sandbox } = await start();
    const body = JSON.stringify({ sorry: true });
    sandbox.faults.add({
      on: "POST /messages",
      action: { type: "answer", status: 503, body, retryAfterSeconds: 7 },
      times: 1,
    });
    const headers = headersOf(sandbox);
    const init = { method: "POST", headers, body: JSON.stringify(messageRequest()) };
    const response = await fetch(`${sandbox.env.SERVICE_URL}/messages`, init);
    expect([response.status, response.headers.get("retry-after"), await response.text()]).toEqual([503, "7", body]);
    expect(sandbox.inbox.list()).toEqual([]);
    expect((await post(sandbox, "/messages", messageRequest())).status).toBe(200);
    expect(sandbox.inbox.list().map(({ text }) => text)).toEqual(["Hello"]);
    expect(sandbox.faults.firings()).toMatchObject([{ on: "POST /messages", action: { status: 503 } }]);
  });

  test("that delays ends when the sandbox closes or the caller disconnects", async () => {
    const { sandbox } = await start();
    sandbox.faults.add({ on: "GET /messages", action: { type: "delay", milliseconds: 2 ** 31 - 1 } });
    const headers = { "X-API-KEY": sandbox.env.SERVICE_API_KEY };
    const leaving = new AbortController();
    const ask = (signal: AbortSignal | null) => fetch(`${sandbox.env.SERVICE_URL}/messages`, { headers, signal });
    const left = ask(leaving.signal);
    const staying = ask(null);
    left.catch(() => leaving.abort());
    while (sandbox.faults.firings().length < 2) await setImmediate();
    leaving.abort();
    await expect(left).rejects.toThrow();
    await Promise.all([expect(staying).rejects.toThrow(), sandbox.close()]);
  });

  test("applies only to requests for its number, at any place in the body", async () => {
    const { sandbox } = await start();
    sandbox.faults.add({ on: "request", to: phone, action: { type: "answer", status: 500, body: "{}" } });
    const recipients = [other, phone];
    const statuses = [
      await post(sandbox, "/messages", messageRequest({ recipients })),
      await post(sandbox, "/verifications", verificationRequest()),
      await post(sandbox, "/messages", messageRequest({ recipients: [other] })),
      await post(sandbox, "/verifications", verificationRequest({ recipient: other })),
    ].map(({ status }) => status);
    expect(statuses).toEqual([500, 500, 200, 200]);
  });

  test.each<[Fault["on"], string, string]>([
    ["GET /messages", "GET", "/messages"],
    ["POST /verifications/confirmation", "POST", "/verifications/confirmation/ver_1"],
    ["request", "GET", "/messages"],
  ])("on %s applies to %s %s", async (on, method, path) => {
    const { sandbox } = await start();
    sandbox.faults.add({ on: on as "request", action: { type: "answer", status: 502 } });
    const headers = { "X-API-KEY": sandbox.env.SERVICE_API_KEY };
    expect((await fetch(`${sandbox.env.SERVICE_URL}${path}`, { method, headers })).status).toBe(502);
  });

  test.each([
    ["before", 0],
    ["after", 1],
  ] as const)("cuts the connection %s the work", async (when, sent) => {
    const { sandbox } = await start();
    sandbox.faults.add({ on: "POST /messages", action: { type: "cut", when }, times: 1 });
    await expect(post(sandbox, "/messages", messageRequest())).rejects.toThrow();
    expect(sandbox.inbox.list()).toHaveLength(sent);
    expect((await post(sandbox, "/messages", messageRequest())).status).toBe(200);
  });

  test("delays the answer without changing it", async () => {
    const { sandbox } = await start();
    sandbox.faults.add({ on: "request", action: { type: "delay", milliseconds: 1 } });
    const { id, code } = await startVerification(sandbox);
    expect((await confirm(sandbox, id, code)).status).toBe(200);
    expect(sandbox.faults.firings()).toHaveLength(2);
  });

  test("does not change the refusal of an invalid request", async () => {
    const { sandbox } = await start();
    sandbox.faults.add({ on: "request", to: phone, action: { type: "answer", status: 500 } });
    const url = `${sandbox.env.SERVICE_URL}/messages`;
    const json = headersOf(sandbox);
    const status = async (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>) =>
      (await fetch(url, { method: "POST", headers, body })).status;
    expect(await status(json, "{")).toBe(400);
    expect(await status(json, new Uint8Array([0x22, 0xff, 0x22]))).toBe(400);
    expect(await status(json, "[]")).toBe(422);
    expect(await status({ ...json, "Content-Type": "text/plain" }, "{}")).toBe(415);
    expect(await status({ ...json, "X-API-KEY": "wrong" }, JSON.stringify(messageRequest()))).toBe(401);
  });
});
