import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

/** Says to the tests that the packages are built. */
export const builtVariable = "DOORCODE_BUILT";

const builder = resolve(import.meta.dirname, "../../scripts/build.ts");

/** Builds the packages before the tests: commands are tested as they are shipped. */
export function build(): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [builder], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The packages do not build:\n${stdout}${stderr}`);
}
