import { type CommandLine, help, readCommandLine } from "./command-line.ts";
import { envLines } from "./credentials.ts";
import { createSandbox } from "./sandbox.ts";
import { SandboxError } from "./sandbox-error.ts";

/** Does what the command line asks for: starts the sandbox, or prints one sentence and sets the exit code. */
export function run(): void {
  const commandLine = readCommandLine(process.argv.slice(2));
  if (commandLine === "help") {
    process.stdout.write(help);
  } else if (typeof commandLine === "string") {
    leave(commandLine, 2);
  } else {
    start(commandLine).catch((error: unknown) => {
      if (!(error instanceof SandboxError)) throw error;
      leave(`${error.message} Choose another one with --port, or 0 for any that is free.`, 1);
    });
  }
}

async function start({ port, webhookUrl }: CommandLine): Promise<void> {
  const sandbox = await createSandbox({ port });
  if (webhookUrl !== undefined) sandbox.deliverTo(webhookUrl);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void sandbox.close());
  process.stdout.write(`Doorcode sandbox: ${sandbox.url}\n\n${envLines(sandbox.env)}\n`);
}

function leave(sentence: string, exitCode: number): void {
  process.stderr.write(`doorcode-sandbox: ${sentence}\n`);
  process.exitCode = exitCode;
}
