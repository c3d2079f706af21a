import { expect, test } from "vitest";
import { type Running, run } from "./support/command.ts";

/** Runs a JavaScript program with exec. It ends after 20 seconds even when a test does not end it. */
function exec(program: string, options: readonly string[] = [], args: readonly string[] = []): Running {
  const bounded = `setTimeout(() => process.exit(99), 20_000).unref(); ${program}`;
  const command = [process.execPath, "--input-type=module", "-e", bounded, ...args];
  return run(["exec", ...options, "--", ...command], {
    SERVICE_URL: "https://service.example/v1",
    SERVICE_API_KEY: "a-real-key",
    DOORCODE_SANDBOX_TOKEN: "another-secret-here",
    KEPT: "yes",
  });
}

test("gives the program its arguments and the environment of a running sandbox, prints nothing, and ends with the exit code of the program", async () => {
  const token = "a-secret-for-tests";
  const args = ["--port", "a b", "$HOME", '"quoted"', "*", "--"];
  const program = `
    const { SERVICE_URL, SERVICE_API_KEY, WEBHOOK_SECRET, SESSION_PASSWORD, KEPT } = process.env;
    const { DOORCODE_SANDBOX_URL: url, DOORCODE_SANDBOX_TOKEN } = process.env;
    const statusOf = async (address, headers) => (await fetch(address, { headers })).status;
    const statuses = [
      await statusOf(SERVICE_URL + "/messages", { "X-API-KEY": SERVICE_API_KEY }),
      await statusOf(url + "/_sandbox/inbox", { Authorization: "Bearer " + DOORCODE_SANDBOX_TOKEN }),
    ];
    const env = { SERVICE_URL, WEBHOOK_SECRET, SESSION_PASSWORD, KEPT };
    console.log(JSON.stringify({ url, statuses, env, args: process.argv.slice(1) }));
    process.exitCode = 3;`;
  const { code, output, errors } = await exec(program, ["--host", "0.0.0.0", "--token", token], ["--", ...args]).exit;
  expect({ code, errors }).toEqual({ code: 3, errors: "" });
  const said = JSON.parse(output);
  expect(said).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    statuses: [200, 200],
    env: {
      SERVICE_URL: `${said.url}/v1`,
      WEBHOOK_SECRET: expect.stringMatching(/./),
      SESSION_PASSWORD: expect.stringMatching(/^.{32,}$/),
      KEPT: "yes",
    },
    args,
  });
  await expect(fetch(said.url)).rejects.toThrow();
});

const waiting = "setInterval(() => {}, 1000); console.log('waits');";

test("signals to the command are forwarded to the program, and the sandbox runs until the program has ended", async () => {
  const command = exec(`
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => console.log(signal));
    process.on("SIGHUP", async () => {
      await fetch(process.env.DOORCODE_SANDBOX_URL);
      process.exit(7);
    });
    ${waiting}`);
  await command.printed("waits");
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    command.child.kill(signal);
    await command.printed(signal);
  }
  command.child.kill("SIGHUP");
  expect((await command.exit).code).toBe(7);
});

test("a signal to the command ends a program that does not handle it", async () => {
  const command = exec(waiting);
  await command.printed("waits");
  command.child.kill("SIGINT");
  expect((await command.exit).code).toBe(130);
});

test("prints one line for a missing program, and exits with 127", async () => {
  const { code, output, errors } = await run(["exec", "--", "doorcode-no-such-command", "x"]).exit;
  expect({ code, output }).toEqual({ code: 127, output: "" });
  expect(errors).toBe('doorcode-sandbox: The program "doorcode-no-such-command" was not found.\n');
});
