import { spawnSync } from "node:child_process";

/** Says to the tests that the packages are built. */
export const builtVariable = "DOORCODE_BUILT";

/** Builds the packages before the tests: commands are tested as they are shipped. */
export function build(): void {
  const { status, stdout } = spawnSync("tsc", ["-b"], { encoding: "utf8", shell: process.platform === "win32" });
  if (status !== 0) throw new Error(`The packages do not build:\n${stdout}`);
}
