import { resolve } from "node:path";
import { type Program, runProgram } from "./program.ts";

const root = resolve(import.meta.dirname, "../..");

/** Runs the program of `npm start`, without the installation, on free ports by default. */
export function npmStart(words: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  return runProgram([process.execPath, "scripts/start.ts", ...words], root, { PORT: "0", SANDBOX_PORT: "0", ...env });
}
