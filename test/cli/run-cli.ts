import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { runCommandLine } from "../../packages/cli/src/command/run.ts";

const cli = resolve(import.meta.dirname, "../../packages/cli/dist/cli.js");
const { PATH, NODE_COMPILE_CACHE } = process.env;

/** The end of a command. */
export interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs the command in this process, because a process takes longer to start than the command to run. It has no terminal. */
export async function runCli(args: readonly string[]): Promise<Ended> {
  const [output, errors] = [capture(process.stdout), capture(process.stderr)];
  try {
    const code = await runCommandLine(args);
    return { code, output: output.text(), errors: errors.text() };
  } finally {
    output.end();
    errors.end();
  }
}

/** Keeps what is written to a stream, and prints nothing of it. */
function capture(stream: NodeJS.WriteStream) {
  const { write } = stream;
  let written = "";
  stream.write = (text: string | Uint8Array) => {
    written += text;
    return true;
  };
  return {
    text: () => written,
    end: () => {
      stream.write = write;
    },
  };
}

/** Runs the built command in a process, without a terminal. */
export async function spawnCli(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn(process.execPath, [cli, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH, NODE_COMPILE_CACHE, NODE_NO_WARNINGS: "1", ...env },
  });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const [code] = await once(child, "close");
  return { code, output, errors };
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
    env: { PATH, NODE_COMPILE_CACHE, FORCE_COLOR: "1" },
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
