import { resolve } from "node:path";
import { builtVariable } from "../support/build.ts";
import { type Program, runProgram } from "./program.ts";

const root = resolve(import.meta.dirname, "../..");

/** The environment of an `npm start` on free ports, which does not build again what the tests run on. */
export const builtOnFreePorts = { PORT: "0", SANDBOX_PORT: "0", [builtVariable]: "1" };

/** Runs the program of `npm start`, without the installation, by default on free ports and with what is built. */
export function npmStart(words: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  return runProgram([process.execPath, "scripts/start.ts", ...words], root, { ...builtOnFreePorts, ...env });
}
