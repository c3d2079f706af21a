import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { CommandError } from "../../packages/cli/src/command/command-error.ts";
import { type InitCommand, parseCommandLine } from "../../packages/cli/src/command/command-line.ts";
import { runInit } from "../../packages/cli/src/init/run-init.ts";

const cli = resolve(import.meta.dirname, "../../packages/cli/dist/cli.js");

/** The end of a command. */
export interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs the command without a terminal: the built one, or `init` in this process, because a process takes longer to start than it runs. */
export async function runCli(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended> {
  if (args[0] === "init" && env === undefined) return runInitHere(args);
  const child = spawn(process.execPath, [cli, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const [code] = await once(child, "close");
  return { code, output, errors };
}

async function runInitHere(args: readonly string[]): Promise<Ended> {
  let output = "";
  const { write } = process.stdout;
  process.stdout.write = (text: string | Uint8Array) => {
    output += text;
    return true;
  };
  try {
    const code = await runInit(parseCommandLine(args) as InitCommand);
    return { code, output, errors: "" };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { code: error.exitCode, output, errors: `doorcode: ${error.message}\n` };
  } finally {
    process.stdout.write = write;
  }
}

/** Runs the built command as in a terminal, and answers each question with the text beside it. */
export async function runInTerminal(
  args: readonly string[],
  answers: Readonly<Record<string, string>>,
): Promise<Ended> {
  const terminal = "data:text/javascript,process.stdin.isTTY=true";
  const child = spawn(process.execPath, ["--import", terminal, cli, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    // A terminal shows colors.
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, FORCE_COLOR: "1" },
  });
  let [output, errors] = ["", ""];
  const waiting = new Map(Object.entries(answers));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    for (const [question, answer] of waiting) {
      if (!output.endsWith(question)) continue;
      waiting.delete(question);
      child.stdin.write(`${answer}\n`);
    }
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const [code] = await once(child, "close");
  return { code, output, errors };
}
