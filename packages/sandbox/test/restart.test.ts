import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Delivery, InboxMessage } from "../src/index.ts";
import { type Running, run } from "./support/command.ts";
import { messageRequest, verificationRequest } from "./support/start.ts";

const key = { "X-API-KEY": "sandbox-api-key", "Content-Type": "application/json" };

/** The data file of a sandbox and the endpoint of its webhooks. */
async function setUp(answer: () => number | undefined) {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-"));
  const bodies: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const server = createServer(async (incoming, outgoing) => {
    let body = "";
    for await (const chunk of incoming) body += chunk;
    bodies.push(body);
    arrived.resolve();
    const status = answer();
    if (status !== undefined) outgoing.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  return { data: join(folder, "sandbox.db"), url, bodies, arrived: arrived.promise };
}

async function start(args: readonly string[]): Promise<{ running: Running; url: string }> {
  const running = run(["--port", "0", "--clock", "frozen", "--quiet", ...args]);
  const [, url = ""] = /Doorcode sandbox: (\S+)/.exec(await running.printed("SESSION_PASSWORD=")) ?? [];
  return { running, url };
}

async function kill({ child, exit }: Running): Promise<void> {
  child.kill("SIGKILL");
  await exit;
}

async function send(url: string, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}${path}`, { method: "POST", headers: key, body: JSON.stringify(body) });
  return (await response.json()) as Record<string, unknown>;
}

const advance = (url: string, by: string) => send(url, "/_sandbox/clock/advance", { by });

async function read<Body>(url: string, path: string): Promise<Body> {
  return (await (await fetch(`${url}${path}`)).json()) as Body;
}

const deliveries = async (url: string) =>
  (await read<{ deliveries: Delivery[] }>(url, "/_sandbox/deliveries")).deliveries;

test("after kill -9 retries, codes, applications and the clock go on where they were", async () => {
  const { data, url: target, bodies } = await setUp(() => 500);
  const first = await start(["--data", data, "--webhook-url", target]);
  await send(first.url, "/v1/messages", messageRequest());
  await advance(first.url, "60ms");
  await advance(first.url, "40s");
  const { verification_id } = await send(first.url, "/v1/verifications", verificationRequest());
  const { verification_id: later } = await send(first.url, "/v1/verifications", verificationRequest());
  const created = await send(first.url, "/_sandbox/applications", { name: "Shop", dialect: { envelope: "type" } });
  await send(first.url, "/_sandbox/faults", { on: "GET /messages", action: { type: "cut", when: "before" }, times: 3 });
  const lists = ["applications", "endpoints", "faults", "clock", "account", "inbox", "deliveries"];
  const readAll = (url: string) => Promise.all(lists.map((list) => read(url, `/_sandbox/${list}`)));
  const before = await readAll(first.url);
  const [retried] = await deliveries(first.url);
  const { messages } = await read<{ messages: InboxMessage[] }>(first.url, "/_sandbox/inbox");
  await kill(first.running);

  const second = await start(["--data", data]);
  expect(await readAll(second.url)).toEqual(before);
  const headers = { "X-API-KEY": String(created.apiKey) };
  expect((await fetch(`${second.url}/v1/messages`, { headers })).status).toBe(200);
  const confirm = (id: unknown, code: string | undefined) =>
    send(second.url, `/v1/verifications/confirmation/${id}`, { otp_code: code ?? "" });
  expect(await confirm(verification_id, messages[1]?.code)).toMatchObject({ success: true });
  await advance(second.url, "10m");
  expect(await confirm(later, messages[2]?.code)).toMatchObject({ error_code: "verify.expired" });

  await advance(second.url, "2h");
  await advance(second.url, "2h");
  const [after] = await deliveries(second.url);
  const seconds = after?.attempts.map(({ at }) => (Date.parse(at) - Date.parse(after.createdAt)) / 1000);
  expect([retried?.attempts.length, after?.status, seconds]).toEqual([2, "failed", [0, 30, 150, 750, 4350]]);
  expect(bodies.filter((body) => body === retried?.payload)).toHaveLength(5);
});

test("attempts that kill -9 interrupted, or that waited for them, are made at the next start", async () => {
  let status: number | undefined;
  const { data, url: target, bodies, arrived } = await setUp(() => status);
  const command = ["--data", data, "--webhook-url", target];
  const first = await start(command);
  const recipients = Array.from({ length: 50 }, (_, index) => `+49151123456${index + 10}`);
  await send(first.url, "/v1/messages", messageRequest({ recipients }));
  void advance(first.url, "60ms").catch(() => {});
  await arrived;
  await kill(first.running);

  status = 204;
  const second = await start(command);
  await advance(second.url, "2h");
  const after = await deliveries(second.url);
  const sent = after.filter(({ eventStatus }) => eventStatus === "SENT");
  expect(sent.map(({ attempts }) => attempts.map((attempt) => attempt.status))).toEqual(recipients.map(() => [204]));
  expect(new Set(bodies)).toEqual(new Set(after.map(({ payload }) => payload)));
});
