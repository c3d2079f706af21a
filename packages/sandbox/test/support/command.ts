import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** The end of a command. */
export interface Exit {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** A running command. */
export interface Running {
  readonly child: ChildProcess;
  readonly exit: Promise<Exit>;
  /** Resolves with the output so far as soon as it contains the text. */
  printed(text: string): Promise<string>;
}

/** Runs the built command without a terminal, until the end of the test at the latest. */
export function run(args: readonly string[], env: NodeJS.ProcessEnv = {}, nodeArgs: readonly string[] = []): Running {
  const child = spawn(process.execPath, [...nodeArgs, cli, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  const exit = once(child, "close").then(([code]: (number | null)[]) => ({ code: code ?? null, output, errors }));
  return {
    child,
    exit,
    async printed(text) {
      while (!output.includes(text)) {
        const ended = await Promise.race([once(child.stdout, "data"), exit]);
        if (!Array.isArray(ended) && !output.includes(text)) throw new Error(`It ended: ${JSON.stringify(ended)}`);
      }
      return output;
    },
  };
}
