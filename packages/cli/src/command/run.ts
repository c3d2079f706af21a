import { readFileSync } from "node:fs";
import { CommandError } from "./command-error.ts";
import { type CommandLine, parseCommandLine } from "./command-line.ts";
import { help } from "./help.ts";

/** Runs the command and ends the process. */
export async function run(args: readonly string[]): Promise<void> {
  const exitCode = await runCommandLine(args);
  // The clients of an app whose kit `limits` has loaded would keep the process running. The callbacks run after the output is written.
  process.stdout.write("", () => process.stderr.write("", () => process.exit(exitCode)));
}

/** Runs the command and returns the exit code. After an error it prints one line on stderr. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  try {
    return await runCommand(parseCommandLine(args));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    process.stderr.write(`doorcode: ${error.message}\n`);
    return error.exitCode;
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
    case "limits": {
      const { runLimits } = await import("../limits/run-limits.ts");
      return runLimits(line);
    }
  }
}

/** The package.json is two folders above this file, in the sources and in the build. */
function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return version;
}
