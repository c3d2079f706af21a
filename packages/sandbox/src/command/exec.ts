import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import spawn from "cross-spawn";

/** How a program ended. */
export interface Execution {
  /** The program's own; 128 and the signal's number when a signal ended it, 127 when there is none, 126 when it cannot run. */
  readonly exitCode: number;
  /** Says why it did not start. */
  readonly sentence?: string;
}

/**
 * Runs a program on this terminal and waits for its end; SIGINT, SIGTERM and SIGHUP to this process reach it.
 *
 * Started through cross-spawn, since on Windows `npm` is `npm.cmd`, which Node starts through a shell only, and a shell would
 * read arguments anew: everywhere, every argument reaches the program as it was given.
 *
 * @param environment - comes before what this process has.
 */
export async function execute(
  [program, ...args]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<Execution> {
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...environment } });
  const stopForwarding = forwardSignals(child);
  try {
    return await endOf(child, program);
  } finally {
    stopForwarding();
  }
}

function endOf(child: ChildProcess, program: string): Promise<Execution> {
  const { promise, resolve, reject } = Promise.withResolvers<Execution>();
  child.once("error", (error: NodeJS.ErrnoException) => {
    const name = JSON.stringify(program);
    if (error.code === "ENOENT") resolve({ exitCode: 127, sentence: `the command ${name} was not found.` });
    else if (error.code === "EACCES") resolve({ exitCode: 126, sentence: `the command ${name} may not be run.` });
    else reject(error);
  });
  child.once("exit", (code, signal) => resolve({ exitCode: code ?? 128 + (signal ? constants.signals[signal] : 0) }));
  return promise;
}

/** A signal must end the program, and not this process before it: the sandbox stops after the program. */
function forwardSignals(child: ChildProcess): () => void {
  const forward = (signal: NodeJS.Signals) => {
    // Ctrl-C in a terminal reaches the program anyway, and many take a second one as "at once, without cleaning up".
    if (signal === "SIGINT" && process.stdin.isTTY) return;
    child.kill(signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
  };
}
