import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";

/** A command that did not do what a new user expects. The message has its output. */
export class CommandError extends Error {}

/** A command that runs. */
export interface RunningCommand {
  /** Resolves with its exit code when it and its output have ended. */
  readonly ended: Promise<number | null>;
  output(): string;
  /** Ends the command with all processes that it has started. */
  end(): Promise<void>;
}

/** Starts a command in a folder, as a new user's terminal does: without the settings of the tests that run it. */
export function startCommand(command: string, cwd: string, env: Readonly<Record<string, string>> = {}): RunningCommand {
  const child = spawn(command, {
    cwd,
    env: { ...terminal(), ...env },
    shell: true,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => (output += text));
  const ended = once(child, "close").then(([status]) => status as number | null);

  async function end(): Promise<void> {
    killGroup(child);
    await ended;
  }

  return { ended, output: () => output, end };
}

/**
 * Runs a command to its end and returns its output.
 *
 * @throws CommandError if it fails or takes longer than `maxSeconds`
 */
export async function runCommand(
  command: string,
  cwd: string,
  { maxSeconds, env = {} }: { readonly maxSeconds: number; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const running = startCommand(command, cwd, env);
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    void running.end();
  }, maxSeconds * 1000);
  const status = await running.ended;
  clearTimeout(deadline);
  if (isLate) throw new CommandError(`${command}: not done after ${maxSeconds} seconds.\n${running.output()}`);
  if (status !== 0) throw new CommandError(`${command}: exit code ${status}.\n${running.output()}`);
  return running.output();
}

/** The environment of a terminal: without what npm, vitest and the test command set, and with the Node that runs this. */
function terminal(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) =>
      !/^(NODE_(?!EXTRA_CA_CERTS$)|VITEST|TEST$|DOORCODE_|npm_(?!config_(registry|cafile|proxy|https_proxy)$))/i.test(
        name,
      ),
  );
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.endsWith("node_modules/.bin"));
  return { ...Object.fromEntries(own), PATH: [dirname(process.execPath), ...path].join(delimiter) };
}

/** The group also has what a shell, npm and a framework have started. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
