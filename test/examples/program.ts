import { spawn } from "node:child_process";

/** A program that runs in a process of its own. */
export interface Program {
  /** Resolves with its whole output when it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
  /** Resolves with the output so far when it contains the words. Rejects when it ends without them. */
  says(words: RegExp): Promise<string>;
  /** Returns the output so far. */
  saidSoFar(): string;
  kill(signal: NodeJS.Signals): void;
}

/** Runs a program. Of the present environment it gets only what it is given, and the paths. */
export function runProgram(
  [program, ...words]: readonly [program: string, ...words: string[]],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Program {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(program, words, { cwd, env: { PATH, NODE_COMPILE_CACHE, ...env } });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const { promise: ended, resolve: end } = Promise.withResolvers<{ code: number | null; said: string }>();
  child.once("close", (code) => end({ code, said }));

  return {
    ended,
    says(words) {
      const { promise, resolve: found, reject } = Promise.withResolvers<string>();
      const look = () => words.test(said) && found(said);
      for (const stream of [child.stdout, child.stderr]) stream.on("data", look);
      void ended.then(() => reject(new Error(`It ended without saying ${words}:\n${said}`)));
      look();
      return promise;
    },
    saidSoFar: () => said,
    kill: (signal) => void child.kill(signal),
  };
}
