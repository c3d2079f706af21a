import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { SandboxError, UsageError } from "../primitives/errors.ts";
import { envLines } from "../sandbox/credentials.ts";
import type { Sandbox } from "../start/create-sandbox.ts";
import {
  CommandError,
  type CommandLine,
  type ExecCommand,
  help,
  type McpCommand,
  parseCommandLine,
  type ServeCommand,
  type StartCommand,
  tokenVariable,
} from "./command-line.ts";
import { createMessagePrinter, printFailures, printRefusals } from "./printed-lines.ts";

/** Runs the command. After an error it prints one line on stderr and sets the exit code. */
export async function run(args: readonly string[]): Promise<void> {
  try {
    await runCommand(parseCommandLine(args, process.env));
  } catch (error) {
    if (error instanceof CommandError) return fail(error.message, 2);
    if (error instanceof UsageError) return fail(`${error.field}: ${error.expected}`, 2);
    if (!(error instanceof SandboxError)) throw error;
    const hint = error.code === "port_taken" ? " Choose another port with --port, or 0 for any free one." : "";
    const connect =
      error.code === "port_taken" && args[0] === "mcp" ? " --url connects to the sandbox that runs there." : "";
    fail(`${error.message}${hint}${connect}`, 1);
  }
}

async function runCommand(commandLine: CommandLine): Promise<void> {
  switch (commandLine.command) {
    case "help":
      return void process.stdout.write(help);
    case "version":
      return void process.stdout.write(`${ownVersion()}\n`);
    case "serve":
      return serve(commandLine);
    case "exec":
      return exec(commandLine);
    case "mcp":
      return mcp(commandLine);
  }
}

async function serve(command: ServeCommand): Promise<void> {
  const { options, quiet } = command;
  const sandbox = await start(command);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void sandbox.close());
  const access = options.token === undefined ? "" : "The page and the control API require the token.\n";
  process.stdout.write(`Doorcode sandbox: ${sandbox.url}\n${access}\n${envLines(sandbox.env)}\n\n`);
  if (quiet) return;
  const print = (lines: string) => void process.stdout.write(lines);
  sandbox.inbox.watch(createMessagePrinter(print));
  printRefusals(sandbox, print);
  printFailures(sandbox, print);
}

async function exec(command: ExecCommand): Promise<void> {
  const { options, program } = command;
  const { runProgram } = await import("./exec.ts");
  const sandbox = await start(command);
  try {
    const { exitCode, message } = await runProgram(program, {
      ...sandbox.env,
      DOORCODE_SANDBOX_URL: sandbox.url,
      ...(options.token !== undefined && { [tokenVariable]: options.token }),
    });
    process.exitCode = exitCode;
    if (message !== undefined) fail(message, exitCode);
  } finally {
    await sandbox.close();
  }
}

/** Only the protocol may stand on stdout. */
async function mcp(command: McpCommand): Promise<void> {
  const { options, url } = command;
  const { loadMcpServer } = await import("../mcp/load.ts");
  const { createControlClient } = await import("../mcp/control-client.ts");
  const { serveStdio } = await loadMcpServer();
  const ended = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ended.abort());
  const sandbox =
    url === undefined ? await start(command) : { url: new URL(url).origin, fetch, close: async () => undefined };
  if (url === undefined) process.stderr.write(`Doorcode sandbox: ${sandbox.url}\n`);
  await serveStdio(createControlClient(sandbox.url, sandbox.fetch, options.token), ended.signal);
  await sandbox.close();
}

async function start({ options, webhookUrl }: StartCommand): Promise<Sandbox> {
  const { createSandbox } = await import("../start/create-sandbox.ts");
  limitGarbage();
  const sandbox = await createSandbox(options);
  try {
    addEndpoint(sandbox, webhookUrl);
    return sandbox;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

/**
 * Keeps the garbage in memory small, of this process only: with 10,000 messages over HTTP the command takes 220 MB instead of 330. The floor is
 * 250 MB.
 */
function limitGarbage(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=60");
}

/** The endpoints in a data file stay. This one may already be among them. */
function addEndpoint({ endpoints }: Sandbox, target: string | undefined): void {
  if (target !== undefined && !endpoints.list().some(({ url }) => url === target)) endpoints.add({ target });
}

/** The package.json is two folders above this file, in the sources and in the build. */
function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return version;
}

function fail(message: string, exitCode: number): void {
  process.stderr.write(`doorcode-sandbox: ${message}\n`);
  process.exitCode = exitCode;
}
