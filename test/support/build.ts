import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Builds the packages before the tests: commands are tested as they are shipped. */
export default function build(): void {
  const { status, stdout } = spawnSync("tsc", ["-b"], { encoding: "utf8", shell: process.platform === "win32" });
  if (status !== 0) throw new Error(`The packages do not build:\n${stdout}`);
  // Tests start hundreds of processes, which all compile the same files.
  process.env.NODE_COMPILE_CACHE ??= join(root, ".doorcode", "compiled");
}
