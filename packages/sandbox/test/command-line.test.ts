import { describe, expect, test } from "vitest";
import { CommandError, help, parseCommandLine } from "../src/command/command-line.ts";

const token = "a-secret-for-tests";
const defaults = { allowedHosts: [], allowRemoteWebhooks: false };

/** Returns the message of the mistake in a command line. */
function mistakeIn(args: readonly string[], environment: NodeJS.ProcessEnv = {}): string {
  try {
    throw new Error(`It was taken: ${JSON.stringify(parseCommandLine(args, environment))}`);
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    throw error;
  }
}

describe("the command without exec", () => {
  test("by default listens on port 4010 of this machine and prints messages", () => {
    expect(parseCommandLine([], {})).toEqual({
      command: "serve",
      options: { port: 4010, ...defaults },
      webhookUrl: undefined,
      quiet: false,
    });
  });

  test("accepts every option", () => {
    const args = ["--port", "0", "--host=0.0.0.0", "--allow-host", "sandbox.local", "--allow-host", "[::1]", "--quiet"];
    const more = ["--allow-remote-webhooks", "--webhook-url", "https://example.com/hooks", "--data", "sandbox.db"];
    expect(parseCommandLine([...args, ...more, "--clock", "scaled:60", "--token", token], {})).toEqual({
      command: "serve",
      options: {
        port: 0,
        host: "0.0.0.0",
        token,
        allowedHosts: ["sandbox.local", "[::1]"],
        allowRemoteWebhooks: true,
        data: "sandbox.db",
        clock: { scale: 60 },
      },
      webhookUrl: "https://example.com/hooks",
      quiet: true,
    });
  });

  test.each([
    ["real", "real"],
    ["frozen", "frozen"],
    ["scaled:0.5", { scale: 0.5 }],
    ["scaled:100000", { scale: 100_000 }],
  ])("accepts the clock %s", (text, clock) => {
    expect(parseCommandLine(["--clock", text], {})).toMatchObject({ options: { clock } });
  });

  test.each(["localhost", "127.0.0.2", "::1"])("listens on %s with --host", (host) => {
    expect(parseCommandLine(["--host", host], {})).toMatchObject({ options: { host } });
  });

  test.each(["0.0.0.0", "::", "my-machine.lan"])("listens on %s with --host and a token", (host) => {
    expect(parseCommandLine(["--host", host, "--token", token], {})).toMatchObject({ options: { host, token } });
    expect(parseCommandLine(["--host", host], { DOORCODE_SANDBOX_TOKEN: token })).toMatchObject({
      options: { host, token },
    });
  });

  test("prefers --token to the environment, where an empty token is none", () => {
    const environment = { DOORCODE_SANDBOX_TOKEN: "another-secret-here" };
    expect(parseCommandLine(["--token", token], environment)).toMatchObject({ options: { token } });
    expect(parseCommandLine([], { DOORCODE_SANDBOX_TOKEN: "" })).toMatchObject({
      options: { port: 4010, ...defaults },
    });
  });

  test("names the variable of an invalid token, and not the token", () => {
    const message = mistakeIn([], { DOORCODE_SANDBOX_TOKEN: "a short one" });
    expect(message).toMatch(/^DOORCODE_SANDBOX_TOKEN must be a secret of at least 16 .+\.$/);
    expect(message).not.toContain("a short one");
  });
});

describe("exec", () => {
  test("takes any free port, and everything after -- as the program", () => {
    expect(parseCommandLine(["exec", "--", "npm", "test", "--", "--port", "x"], {})).toEqual({
      command: "exec",
      options: { port: 0, ...defaults },
      webhookUrl: undefined,
      program: ["npm", "test", "--", "--port", "x"],
    });
  });

  test("accepts options before and after its name", () => {
    expect(parseCommandLine(["--port", "4011", "exec", "--clock=frozen", "--", "true"], {})).toMatchObject({
      command: "exec",
      options: { port: 4011, clock: "frozen" },
    });
  });
});

test("documents in its help every option, exec, and that codes are printed", () => {
  const names =
    "port host token allow-host webhook-url allow-remote-webhooks data max-messages clock quiet help version";
  for (const name of names.split(" ")) expect(help).toMatch(new RegExp(`^  --${name} `, "m"));
  expect(help).toContain("exec [options] -- PROGRAM");
  expect(help).toMatch(/prints every message with\nits code/);
});

test.each([
  ["--prot", "see --help", ["--prot", "1"]],
  ["-p", "see --help", ["-p", "1"]],
  ["--no-quiet", "see --help", ["--no-quiet"]],
  ["--__proto__", "see --help", ["--__proto__", "1"]],
  ["--port", "from 0 to 65535", ["--port"]],
  ["--port", "from 0 to 65535", ["--port", "many"]],
  ["--port", "from 0 to 65535", ["--port", "65536"]],
  ["--port", "from 0 to 65535", ["--port", "-1"]],
  ["--port", "from 0 to 65535", ["--port", "1", "--port", "x"]],
  ["--host", "such as 127.0.0.1", ["--host", ""]],
  ["--host", "such as 127.0.0.1", ["--host", "--quiet"]],
  ["--host", "such as 127.0.0.1", ["--host", "0.0.0.0:80"]],
  ["--host", "DOORCODE_SANDBOX_TOKEN", ["--host", "0.0.0.0"]],
  ["--host", "DOORCODE_SANDBOX_TOKEN", ["--host=::", "exec", "--", "true"]],
  ["--token", "at least 16", ["--token", "fifteen-letters"]],
  ["--token", "at least 16", ["--token", "a secret with spaces"]],
  ["--token", "at least 16", ["--token"]],
  ["--allow-host", "without port", ["--allow-host", "sandbox.local:4010"]],
  ["--allow-host", "without port", ["--allow-host", "user@sandbox.local"]],
  ["--webhook-url", "--allow-remote-webhooks", ["--webhook-url", "https://example.com/hooks"]],
  ["--webhook-url", "http or https", ["--webhook-url", "localhost"]],
  ["--webhook-url", "without a user name", ["--webhook-url", "http://ada:secret@localhost:3000/"]],
  ["--webhook-url", "https", ["--allow-remote-webhooks", "--webhook-url", "http://example.com/"]],
  ["--webhook-url", "http or https", ["--webhook-url", "mailto:a@example.com", "--allow-remote-webhooks"]],
  ["--data", "path of a file", ["--data="]],
  ["--clock", "above 0 and at most 100000", ["--clock", "fast"]],
  ["--clock", "above 0 and at most 100000", ["--clock", "scaled:0"]],
  ["--clock", "above 0 and at most 100000", ["--clock", "scaled:100000.1"]],
  ["--help", "no value", ["--help=no"]],
  ["serve", "exec", ["serve"]],
  ["or\\nder", "exec", ["or\nder"]],
  ["after --", "exec -- npm test", ["exec"]],
  ["after --", "exec -- npm test", ["exec", "npm", "--", "test"]],
  ["after --", "exec -- npm test", ["--", "npm", "test"]],
  ["--webhook-url", "--allow-remote-webhooks", ["exec", "--webhook-url", "http://10.0.0.1/", "--", "true"]],
  ["--url", "needs mcp", ["--url", "http://localhost:4010"]],
  ["--url", "on this machine", ["mcp", "--url", "https://sandbox.example.com"]],
  ["--port", "runs at --url", ["mcp", "--port", "0", "--url", "http://localhost:4010"]],
  ["mcp", "options only", ["mcp", "--", "true"]],
])(
  "a wrong command line throws one line, with the mistake and the expected value: %s (%s): %j",
  (wrong, expected, args) => {
    const message = mistakeIn(args);
    expect(message).toMatch(/^[^\n]+\.$/);
    expect(message).toContain(wrong);
    expect(message).toContain(expected);
  },
);
