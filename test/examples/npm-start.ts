import { spawn } from "node:child_process";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** A run of `npm start`. */
export interface NpmStart {
  /** Resolves with its whole output when it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
  /** Resolves with the output so far when it contains the words. Rejects when it ends without them. */
  says(words: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): void;
}

/** Runs the program of `npm start`, without the installation, on free ports by default. */
export function npmStart(words: readonly string[], env: Readonly<Record<string, string>> = {}): NpmStart {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ["scripts/start.ts", ...words], {
    cwd: root,
    env: { PATH, NODE_COMPILE_CACHE, PORT: "0", SANDBOX_PORT: "0", ...env },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const { promise: ended, resolve: end } = Promise.withResolvers<{ code: number | null; said: string }>();
  child.once("close", (code) => end({ code, said }));

  return {
    ended,
    says(words) {
      const { promise, resolve: found, reject } = Promise.withResolvers<string>();
      const look = () => words.test(said) && found(said);
      child.stdout.on("data", look);
      void ended.then(() => reject(new Error(`It ended without saying ${words}:\n${said}`)));
      look();
      return promise;
    },
    kill: (signal) => void child.kill(signal),
  };
}
