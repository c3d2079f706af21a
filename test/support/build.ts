import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

/** Says to the tests, and to scripts that they start, that the packages are built. */
export const builtVariable = "DOORCODE_BUILT";

/** Lets all processes that this one starts keep what they compile: hundreds of them load the same files. */
export function keepCompiled(): void {
  process.env.NODE_COMPILE_CACHE ??= resolve(import.meta.dirname, "../../.doorcode/compiled");
}

const builder = resolve(import.meta.dirname, "../../scripts/build.ts");

/** Builds the packages before the tests: commands are tested as they are shipped. */
export function build(): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [builder], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The packages do not build:\n${stdout}${stderr}`);
}
