import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isNodeTooOld } from "../src/command/node-version.ts";
import { run as runHere } from "../src/command/run.ts";
import { type Running, run } from "./support/command.ts";
import { createReceiver, serve } from "./support/receiver.ts";
import { inOrder, messageRequest, phone, start, verificationRequest } from "./support/start.ts";

/** Waits until the command serves and returns the environment that it has printed. */
async function ready({ printed }: Running): Promise<Record<string, string>> {
  const output = await printed("SESSION_PASSWORD=");
  return Object.fromEntries(output.split("\n").map((line) => line.split("=", 2)));
}

async function post(env: Record<string, string>, path: string, body: object): Promise<number> {
  const headers = { "X-API-KEY": env.SERVICE_API_KEY ?? "", "Content-Type": "application/json" };
  return (await fetch(`${env.SERVICE_URL}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).status;
}

test("prints the URL and the lines of an .env file, serves, prints what happens line by line, and stops after SIGTERM", async () => {
  const endpoint = await serve(createReceiver(404));
  const command = run(["--port", "0", "--webhook-url", endpoint]);
  const env = await ready(command);
  await post(env, "/verifications", verificationRequest({ channels: inOrder("WHATSAPP") }));
  expect(await post(env, "/messages", messageRequest())).toBe(200);
  expect(await post(env, "/messages", {})).toBe(422);
  await command.printed(`3 attempts in a row failed at ${endpoint}. There is no endpoint at /webhooks (404).`);
  command.child.kill("SIGTERM");
  const { code, output, errors } = await command.exit;

  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? "";
  expect(output.split("\n").slice(2, 8)).toEqual([
    `SERVICE_URL=${url}/v1`,
    "SERVICE_API_KEY=sandbox-api-key",
    "WEBHOOK_SECRET=sandbox-webhook-secret",
    "SESSION_PASSWORD=sandbox-session-password-for-development-only",
    "",
    expect.stringMatching(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}WHATSAPP {2}\\${phone} {3}\\d{6}$`)),
  ]);
  expect(output).toMatch(/ {2}SMS .* Hello\n.* REFUSED {3}POST \/v1\/messages {2}422 /);
});

test("with --quiet on a network, prints random credentials and that a token is required, but no token and no message", async () => {
  const environment = { DOORCODE_SANDBOX_TOKEN: "a-secret-for-tests" };
  const command = run(["--port", "0", "--host", "0.0.0.0", "--quiet"], environment);
  const env = await ready(command);
  expect(await post(env, "/messages", messageRequest())).toBe(200);
  expect((await fetch(new URL("/_sandbox/inbox?token=wrong", env.SERVICE_URL))).status).toBe(401);
  command.child.kill("SIGINT");
  const { code, output, errors } = await command.exit;
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(output).toContain("\nThe page and the control API require the token.\n");
  expect(output).not.toMatch(/sandbox-(api-key|webhook-secret|session-password)|a-secret-for-tests|Hello/);
});

test("prints one line for a port in use, and exits with 1", async () => {
  const { sandbox } = await start();
  const { code, output, errors } = await run(["--port", new URL(sandbox.url).port]).exit;
  expect({ code, output }).toEqual({ code: 1, output: "" });
  expect(errors).toMatch(/^doorcode-sandbox: Port \d+ is already in use\. .+\.\n$/);
});

describe("without a sandbox", () => {
  /** Runs a command in this process that ends at once. */
  async function outcomeOf(...args: readonly string[]) {
    const before = process.exitCode;
    const [output, errors] = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, "write").mockReturnValue(true),
    );
    onTestFinished(() => {
      vi.restoreAllMocks();
      process.exitCode = before;
    });
    await runHere(args);
    const textOf = (spy: typeof output) => spy?.mock.calls.map(([text]) => text).join("");
    return { code: process.exitCode ?? before, output: textOf(output), errors: textOf(errors) };
  }

  test("prints its version", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(await outcomeOf("--version")).toMatchObject({ output: `${version}\n`, errors: "" });
  });

  test("prints its help", async () => {
    expect(await outcomeOf("--help")).toMatchObject({ output: expect.stringMatching(/^Usage: /), errors: "" });
  });

  test("prints one line for an invalid option, and exits with 2", async () => {
    const errors = expect.stringMatching(/^doorcode-sandbox: [^\n]+\.\n$/);
    expect(await outcomeOf("exec", "--prot", "1", "--", "true")).toEqual({ code: 2, output: "", errors });
  });
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
        if (url.endsWith("/run.js")) throw new Error("loaded");
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
    ["22.19.0", false],
    ["26.0.0-nightly2026", false],
  ])("is recognized by its version: %s is too old: %s", (version, tooOld) => {
    expect(isNodeTooOld(version)).toBe(tooOld);
  });
});
