import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import spawn from "cross-spawn";

/** The end of a program. */
export interface ProgramExit {
  /**
   * The exit code of the program; 128 and the signal's number after a signal, 127 when the program was not found, 126 when
   * it cannot be run.
   */
  readonly exitCode: number;
  readonly message?: string;
}

/**
 * Runs a program on this terminal and waits for its end. SIGINT, SIGTERM and SIGHUP to this process are forwarded to it.
 *
 * On Windows `npm` is `npm.cmd`, which Node starts only through a shell, and a shell would change arguments. cross-spawn
 * passes every argument unchanged on every platform.
 *
 * @param environment - overrides the environment of this process.
 */
export async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<ProgramExit> {
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...environment } });
  const stopForwarding = forwardSignals(child);
  try {
    return await exitOf(child, program);
  } finally {
    stopForwarding();
  }
}

function exitOf(child: ChildProcess, program: string): Promise<ProgramExit> {
  const { promise, resolve, reject } = Promise.withResolvers<ProgramExit>();
  child.once("error", (error: NodeJS.ErrnoException) => {
    const name = JSON.stringify(program);
    if (error.code === "ENOENT") resolve({ exitCode: 127, message: `The program ${name} was not found.` });
    else if (error.code === "EACCES") resolve({ exitCode: 126, message: `The program ${name} cannot be run.` });
    else reject(error);
  });
  child.once("exit", (code, signal) => resolve({ exitCode: code ?? 128 + (signal ? constants.signals[signal] : 0) }));
  return promise;
}

/** A signal must end the program before this process: the sandbox stops after the program. */
function forwardSignals(child: ChildProcess): () => void {
  const forward = (signal: NodeJS.Signals) => {
    // Ctrl-C in a terminal already reaches the program. Many programs take a second one as "end without cleaning up".
    if (signal === "SIGINT" && process.stdin.isTTY) return;
    child.kill(signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
  };
}
