import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

const cli = resolve(import.meta.dirname, "../../packages/cli/dist/cli.js");

/** The end of a command. */
export interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs the built command without a terminal. */
export async function runCli(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
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

/** Runs the built command as in a terminal, and answers each question with the text beside it. */
export async function runInTerminal(
  args: readonly string[],
  answers: Readonly<Record<string, string>>,
): Promise<Ended> {
  const terminal = "data:text/javascript,process.stdin.isTTY=true";
  const child = spawn(process.execPath, ["--import", terminal, cli, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
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
