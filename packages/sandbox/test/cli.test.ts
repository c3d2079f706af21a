import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const cli = fileURLToPath(new URL("../src/cli.ts", import.meta.url));

function run(...args: string[]) {
  const child = spawn(process.execPath, ["--conditions=@doorcode/source", cli, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [output, errors] = ["", ""];
  const lines = Promise.withResolvers<string>();
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    if (output.includes("SESSION_PASSWORD=")) lines.resolve(output);
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  const exit = once(child, "close").then(([code]: (number | null)[]) => ({ code, output, errors }));
  return { child, exit, ready: lines.promise };
}

test("prints the address and the lines of an .env, serves, and stops when asked", async () => {
  const { child, exit, ready } = run("--port", "0");
  const output = await ready;
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? "";
  expect(output.split("\n").slice(2)).toEqual([
    `SERVICE_URL=${url}/v1`,
    "SERVICE_API_KEY=sandbox-api-key",
    "WEBHOOK_SECRET=sandbox-webhook-secret",
    "SESSION_PASSWORD=sandbox-session-password-for-development-only",
    "",
  ]);
  expect((await fetch(url)).status).toBe(200);
  child.kill("SIGTERM");
  expect(await exit).toMatchObject({ code: 0, errors: "" });
});

test("sends webhooks where --webhook-url says", async () => {
  const arrived = Promise.withResolvers<string | undefined>();
  const server = createServer((incoming, outgoing) => {
    arrived.resolve(incoming.url);
    outgoing.end();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const { ready } = run("--port", "0", "--webhook-url", `http://localhost:${port}/hooks`);
  const env = Object.fromEntries((await ready).split("\n").map((line) => line.split("=", 2)));
  await fetch(`${env.SERVICE_URL}/messages`, {
    method: "POST",
    headers: { "X-API-KEY": env.SERVICE_API_KEY, "Content-Type": "application/json" },
    body: JSON.stringify({
      recipients: ["+4915112345678"],
      channels: [{ channel: "SMS", sender: "Doorcode", content: { text: "Hello" } }],
    }),
  });
  expect(await arrived.promise).toBe("/hooks");
});

test("answers a wrong option with one sentence and exit code 2", async () => {
  const { code, output, errors } = await run("--prot", "1").exit;
  expect({ code, output }).toEqual({ code: 2, output: "" });
  expect(errors).toMatch(/^doorcode-sandbox: [^\n]+\.\n$/);
});

test("answers a taken port with one sentence and exit code 1", async () => {
  const first = run("--port", "0");
  const port = /127\.0\.0\.1:(\d+)/.exec(await first.ready)?.[1] ?? "";
  const { code, output, errors } = await run("--port", port).exit;
  expect({ code, output }).toEqual({ code: 1, output: "" });
  expect(errors).toMatch(/^doorcode-sandbox: Port \d+ is taken\. .+\.\n$/);
});
