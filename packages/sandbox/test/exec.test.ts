import { describe, expect, test } from "vitest";
import { run } from "./support/command.ts";

/** Runs a JavaScript program with exec. It ends after 20 seconds even when a test does not end it. */
function runProgram(program: string, ...args: string[]) {
  const bounded = `setTimeout(() => process.exit(99), 20_000).unref(); ${program}`;
  return run(["exec", "--", process.execPath, "--input-type=module", "-e", bounded, ...args], {
    SERVICE_URL: "https://service.example/v1",
    SERVICE_API_KEY: "a-real-key",
    KEPT: "yes",
  });
}

test("gives the program the environment of a running sandbox, which overrides existing variables and stops at the end", async () => {
  const { code, output, errors } = await runProgram(`
    const { SERVICE_URL, SERVICE_API_KEY, WEBHOOK_SECRET, SESSION_PASSWORD, DOORCODE_SANDBOX_URL, KEPT } = process.env;
    const { status } = await fetch(SERVICE_URL + "/messages", { headers: { "X-API-KEY": SERVICE_API_KEY } });
    const env = { SERVICE_URL, SERVICE_API_KEY, WEBHOOK_SECRET, SESSION_PASSWORD, DOORCODE_SANDBOX_URL, KEPT };
    console.log(JSON.stringify({ status, env }));`).exit;
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  const { status, env } = JSON.parse(output);
  expect(status).toBe(200);
  expect(env).toEqual({
    SERVICE_URL: `${env.DOORCODE_SANDBOX_URL}/v1`,
    SERVICE_API_KEY: "sandbox-api-key",
    WEBHOOK_SECRET: "sandbox-webhook-secret",
    SESSION_PASSWORD: "sandbox-session-password-for-development-only",
    DOORCODE_SANDBOX_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    KEPT: "yes",
  });
  await expect(fetch(env.DOORCODE_SANDBOX_URL)).rejects.toThrow();
});

test("gives the program the token of --token", async () => {
  const program = `
    const { DOORCODE_SANDBOX_URL: url, DOORCODE_SANDBOX_TOKEN: token } = process.env;
    const { status } = await fetch(url + "/_sandbox/inbox", { headers: { Authorization: "Bearer " + token } });
    console.log(status);`;
  const options = ["--host", "0.0.0.0", "--token", "a-secret-for-tests"];
  const command = run(["exec", ...options, "--", process.execPath, "--input-type=module", "-e", program], {
    DOORCODE_SANDBOX_TOKEN: "another-secret-here",
  });
  expect(await command.exit).toEqual({ code: 0, output: "200\n", errors: "" });
});

test("passes every argument unchanged, prints nothing itself, and exits with the program's exit code", async () => {
  const args = ["--port", "a b", "$HOME", '"quoted"', "*", "--"];
  const program = "console.log(JSON.stringify(process.argv.slice(1))); process.exitCode = 3";
  const { code, output, errors } = await runProgram(program, "--", ...args).exit;
  expect({ code, said: JSON.parse(output), errors }).toEqual({ code: 3, said: args, errors: "" });
});

const waiting = "setInterval(() => {}, 1000); console.log(process.env.DOORCODE_SANDBOX_URL, 'waits');";

describe.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s to the command", (signal) => {
  test("is forwarded to the program, and the sandbox runs until the program has ended", async () => {
    const command = runProgram(`
      process.on("${signal}", async () => {
        const { status } = await fetch(process.env.DOORCODE_SANDBOX_URL);
        process.exit(status === 200 ? 7 : 8);
      });
      ${waiting}`);
    await command.printed("waits");
    command.child.kill(signal);
    expect((await command.exit).code).toBe(7);
  });
});

test("a signal to the command ends a program that does not handle it", async () => {
  const command = runProgram(waiting);
  await command.printed("waits");
  command.child.kill("SIGINT");
  expect((await command.exit).code).toBe(130);
});

test("prints one line for a missing program, and exits with 127", async () => {
  const { code, output, errors } = await run(["exec", "--", "doorcode-no-such-command", "x"]).exit;
  expect({ code, output }).toEqual({ code: 127, output: "" });
  expect(errors).toBe('doorcode-sandbox: The program "doorcode-no-such-command" was not found.\n');
});

test("starts nothing with an invalid option", async () => {
  const { code, output } = await run(["exec", "--clock", "fast", "--", process.execPath, "-p", "1"]).exit;
  expect({ code, output }).toEqual({ code: 2, output: "" });
});
