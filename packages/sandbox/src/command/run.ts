import { readFileSync } from "node:fs";
import { envLines } from "../credentials.ts";
import { Misuse } from "../misuse.ts";
import type { SandboxOptions } from "../options.ts";
import type { Sandbox } from "../sandbox.ts";
import { SandboxError } from "../sandbox-error.ts";
import { type CommandLine, type Executing, readCommandLine, type Serving } from "./command-line.ts";
import { help } from "./help.ts";
import { messageLine } from "./message-line.ts";

/** Does what the arguments ask for, or prints one sentence on stderr; either way it sets the exit code. */
export async function run(args: readonly string[]): Promise<void> {
  const commandLine = readCommandLine(args);
  try {
    await act(commandLine);
  } catch (error) {
    if (error instanceof Misuse) return leave(`${error.field}: ${error.expected}`, 2);
    if (!(error instanceof SandboxError)) throw error;
    const hint = error.code === "port_taken" ? " Choose another one with --port, or 0 for any that is free." : "";
    leave(`${error.message}${hint}`, 1);
  }
}

async function act(commandLine: CommandLine): Promise<void> {
  switch (commandLine.act) {
    case "help":
      return void process.stdout.write(help);
    case "version":
      return void process.stdout.write(`${ownVersion()}\n`);
    case "refuse":
      return leave(commandLine.sentence, 2);
    case "serve":
      return serve(commandLine);
    case "exec":
      return exec(commandLine);
  }
}

async function serve({ choices, webhookUrl, quiet }: Serving): Promise<void> {
  const sandbox = await start(choices, webhookUrl);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void sandbox.close());
  process.stdout.write(`Doorcode sandbox: ${sandbox.url}\n\n${envLines(sandbox.env)}\n\n`);
  if (!quiet) sandbox.inbox.watch((message) => void process.stdout.write(`${messageLine(message)}\n`));
}

async function exec({ choices, webhookUrl, command }: Executing): Promise<void> {
  const { execute } = await import("./exec.ts");
  const sandbox = await start(choices, webhookUrl);
  try {
    const { exitCode, sentence } = await execute(command, { ...sandbox.env, DOORCODE_SANDBOX_URL: sandbox.url });
    process.exitCode = exitCode;
    if (sentence !== undefined) leave(sentence, exitCode);
  } finally {
    await sandbox.close();
  }
}

async function start(choices: SandboxOptions, webhookUrl: string | undefined): Promise<Sandbox> {
  const { createSandbox } = await import("../sandbox.ts");
  const sandbox = await createSandbox(choices);
  try {
    addEndpoint(sandbox, webhookUrl);
    return sandbox;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

/** A data file may hold the endpoint from before, and others beside it: they stay. */
function addEndpoint({ endpoints }: Sandbox, target: string | undefined): void {
  if (target !== undefined && !endpoints.list().some(({ url }) => url === target)) endpoints.add({ target });
}

/** The package.json is two folders above this file, in the sources and as built. */
function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return version;
}

function leave(sentence: string, exitCode: number): void {
  process.stderr.write(`doorcode-sandbox: ${sentence}\n`);
  process.exitCode = exitCode;
}
