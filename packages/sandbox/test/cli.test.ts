import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isNodeTooOld } from "../src/command/node-version.ts";
import { type Running, run } from "./support/command.ts";
import { createReceiver, serve } from "./support/receiver.ts";
import { inOrder, messageRequest, phone, verificationRequest } from "./support/start.ts";

/** Waits until the command serves and returns the environment that it has printed. */
async function ready({ printed }: Running): Promise<Record<string, string>> {
  const output = await printed("SESSION_PASSWORD=sandbox-session-password-for-development-only\n");
  return Object.fromEntries(output.split("\n").map((line) => line.split("=", 2)));
}

async function post(env: Record<string, string>, path: string, body: object): Promise<void> {
  const headers = { "X-API-KEY": env.SERVICE_API_KEY ?? "", "Content-Type": "application/json" };
  const response = await fetch(`${env.SERVICE_URL}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
}

const message = messageRequest();

test("prints the URL and the lines of an .env file, serves, and stops after SIGTERM", async () => {
  const command = run(["--port", "0"]);
  await ready(command);
  command.child.kill("SIGTERM");
  const { code, output, errors } = await command.exit;
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? "";
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(output.split("\n").slice(2)).toEqual([
    `SERVICE_URL=${url}/v1`,
    "SERVICE_API_KEY=sandbox-api-key",
    "WEBHOOK_SECRET=sandbox-webhook-secret",
    "SESSION_PASSWORD=sandbox-session-password-for-development-only",
    "",
    "",
  ]);
});

describe("a host that other machines can reach", () => {
  const environment = { DOORCODE_SANDBOX_TOKEN: "a-secret-for-tests" };

  test("prints random credentials and that the token is required, and never the token", async () => {
    const command = run(["--port", "0", "--host", "0.0.0.0"], environment);
    const output = await command.printed("SESSION_PASSWORD=");
    const env = Object.fromEntries(output.split("\n").map((line) => line.split("=", 2)));
    await post(env, "/messages", message);
    await command.printed("Hello\n");
    const refused = await fetch(new URL("/_sandbox/inbox?token=wrong", env.SERVICE_URL));
    expect(refused.status).toBe(401);
    command.child.kill("SIGTERM");
    const { code, output: all, errors } = await command.exit;
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(all).toContain("\nThe page and the control API require the token.\n");
    expect(all).not.toMatch(/sandbox-(api-key|webhook-secret|session-password)/);
    expect(all).not.toContain(environment.DOORCODE_SANDBOX_TOKEN);
  });
});

test("prints one line for each message, with its code", async () => {
  const command = run(["--port", "0"]);
  const env = await ready(command);
  await post(env, "/verifications", verificationRequest({ channels: inOrder("WHATSAPP") }));
  await post(env, "/messages", message);
  const output = await command.printed("Hello\n");
  const inbox = await fetch(new URL("/_sandbox/inbox", env.SERVICE_URL));
  const { messages } = (await inbox.json()) as { messages: { code?: string }[] };
  expect(output.split("\n").slice(-3)).toEqual([
    expect.stringMatching(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}WHATSAPP {2}\\${phone} {3}${messages[0]?.code}$`)),
    expect.stringMatching(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}SMS {7}\\${phone} {3}Hello$`)),
    "",
  ]);
});

test("prints one line for each request that was refused, with its cause", async () => {
  const command = run(["--port", "0"]);
  const env = await ready(command);
  const headers = { "X-API-KEY": env.SERVICE_API_KEY ?? "", "Content-Type": "application/json" };
  await fetch(`${env.SERVICE_URL}/messages`, { method: "POST", headers, body: '{"recipients":["0151"]}' });
  await fetch(`${env.SERVICE_URL}/messages`);
  const output = await command.printed("X-API-KEY.\n");
  expect(output.split("\n").slice(-3)).toEqual([
    expect.stringMatching(
      /^\d\d:\d\d:\d\d {2}REFUSED {3}POST \/v1\/messages {2}422 {2}recipients\[0\]: Must be a phone number/,
    ),
    expect.stringMatching(/ {2}REFUSED {3}GET \/v1\/messages {2}401 {2}Send the application's API key as X-API-KEY\.$/),
    "",
  ]);
});

test("prints no messages with --quiet", async () => {
  const command = run(["--port", "0", "--quiet"]);
  const env = await ready(command);
  await post(env, "/messages", message);
  command.child.kill("SIGINT");
  const { code, output } = await command.exit;
  expect(code).toBe(0);
  expect(output).toMatch(/^SESSION_PASSWORD=/m);
  expect(output).not.toContain("Hello");
});

test("sends webhooks to --webhook-url", async () => {
  const receiver = createReceiver();
  const env = await ready(run(["--port", "0", "--webhook-url", await serve(receiver)]));
  await post(env, "/messages", message);
  await expect.poll(() => receiver.statuses()).toEqual(["SENT", "DELIVERED"]);
});

/** Answers as the kit refuses a delivery. */
function refuse(status: number, code: string, headers: Record<string, string> = {}): Response {
  return Response.json({ code }, { status, headers: { "content-type": "application/problem+json", ...headers } });
}

describe("an endpoint whose deliveries keep failing", () => {
  test("is printed once, with what is wrong with its clock", async () => {
    const offset = 900;
    const endpoint = await serve({
      async handler({ headers }) {
        const now = Date.now() / 1000 + offset;
        const isInTime = Math.abs(now - Number(headers.get("x-webhook-timestamp"))) <= 300;
        const date = new Date(now * 1000).toUTCString();
        return isInTime
          ? new Response(null, { status: 204, headers: { date } })
          : refuse(401, "signature_invalid", { date });
      },
    });
    const command = run(["--port", "0", "--webhook-url", endpoint]);
    const env = await ready(command);
    for (let count = 0; count < 3; count++) await post(env, "/messages", message);
    const output = await command.printed("(NTP).\n");
    const lines = output.split("\n").filter((line) => line.includes("WEBHOOK "));

    expect(lines).toEqual([expect.stringContaining(`3 deliveries in a row failed at ${endpoint}. `)]);
    expect(lines[0]).toMatch(/The endpoint's clock is (899|900|901) seconds ahead of this machine's/);
  });

  test("is printed with its answer when the check of the endpoint finds nothing", async () => {
    const isCheck = ({ headers }: Request) => headers.get("user-agent") === "doorcode-check";
    const endpoint = await serve({
      handler: async (request) =>
        isCheck(request) ? new Response(null, { status: 204 }) : refuse(500, "handler_failed"),
    });
    const command = run(["--port", "0", "--webhook-url", endpoint]);
    const env = await ready(command);
    for (let count = 0; count < 3; count++) await post(env, "/messages", message);
    const output = await command.printed("log of the app.\n");

    expect(output).toContain(`failed at ${endpoint}. The answer is 500 handler_failed. Read the log of the app.`);
  });
});

test("prints its help and its version, and exits", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(await run(["--version"]).exit).toEqual({ code: 0, output: `${version}\n`, errors: "" });
  expect(await run(["--help"]).exit).toMatchObject({ code: 0, output: expect.stringMatching(/^Usage: /), errors: "" });
});

test("prints one line for an invalid option, and exits with 2", async () => {
  const { code, output, errors } = await run(["--prot", "1"]).exit;
  expect({ code, output }).toEqual({ code: 2, output: "" });
  expect(errors).toMatch(/^doorcode-sandbox: [^\n]+\.\n$/);
});

test("prints one line for a port in use, and exits with 1", async () => {
  const { SERVICE_URL = "" } = await ready(run(["--port", "0"]));
  const { code, output, errors } = await run(["--port", new URL(SERVICE_URL).port]).exit;
  expect({ code, output }).toEqual({ code: 1, output: "" });
  expect(errors).toMatch(/^doorcode-sandbox: Port \d+ is already in use\. .+\.\n$/);
});

describe("an old Node", () => {
  test("gets one line and exit code 1, before anything else is loaded", async () => {
    // Also removes what an old Node lacks, so that code that uses it fails with another message than the expected one.
    const pretend = `
      import nodeModule, { registerHooks, syncBuiltinESMExports } from "node:module";
      Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.1" } });
      delete nodeModule.enableCompileCache;
      syncBuiltinESMExports();
      registerHooks({ load(url, context, next) {
        if (url.endsWith("/run.ts")) throw new Error("loaded");
        return next(url, context);
      } });`;
    const nodeArgs = ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`];
    const { code, output, errors } = await run(["--port", "0"], {}, nodeArgs).exit;
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toBe("doorcode-sandbox: Node 22.19 or newer is required, but this is 20.11.1.\n");
  });

  test.each([
    ["18.20.8", true],
    ["22.9.0", true],
    ["22.18.0", true],
    ["22.19.0", false],
    ["23.0.0", false],
    ["24.21.0", false],
    ["26.0.0-nightly2026", false],
  ])("is recognized by its version: %s is too old: %s", (version, tooOld) => {
    expect(isNodeTooOld(version)).toBe(tooOld);
  });
});
