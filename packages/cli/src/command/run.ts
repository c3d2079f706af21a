import { readFileSync } from "node:fs";
import { CommandError } from "./command-error.ts";
import { type CommandLine, parseCommandLine } from "./command-line.ts";
import { help } from "./help.ts";

/** Runs the command. After an error it prints one line on stderr. Sets the exit code. */
export async function run(args: readonly string[]): Promise<void> {
  try {
    process.exitCode = await runCommand(parseCommandLine(args));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    process.stderr.write(`doorcode: ${error.message}\n`);
    process.exitCode = 2;
  }
}

async function runCommand(line: CommandLine): Promise<number> {
  switch (line.command) {
    case "help":
      process.stdout.write(help);
      return 0;
    case "version":
      process.stdout.write(`${ownVersion()}\n`);
      return 0;
    case "check": {
      const { runCheck } = await import("../check/run-check.ts");
      return runCheck(line);
    }
    case "init": {
      const { runInit } = await import("../init/run-init.ts");
      return runInit(line);
    }
  }
}

/** The package.json is two folders above this file, in the sources and in the build. */
function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return version;
}
