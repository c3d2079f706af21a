import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { CliError, cliErrorOf } from "./cli-error.ts";

const bundlers = ["bundle-core.ts", "bundle-sandbox.ts", "bundle.ts"].map((file) => join(import.meta.dirname, file));

/**
 * Builds the packages, which the scripts use.
 *
 * @throws CliError if the build fails; the compiler has printed its errors
 */
export function build(): void {
  process.stdout.write("Building …\n");
  const { status } = spawnSync("tsc", ["-b"], { stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) throw new CliError("The build failed. The compiler's errors are above.");
  if (!bundle()) throw new CliError("The bundles failed. Their errors are above.");
}

/** Makes the modules of @doorcode/core and @doorcode/sandbox, and the bundle of the login page. Returns false if that fails; its errors are printed. */
export function bundle(): boolean {
  return bundlers.every((file) => spawnSync(process.execPath, [file], { stdio: "inherit" }).status === 0);
}

if (import.meta.main) {
  try {
    build();
  } catch (error) {
    if (!cliErrorOf(error)) throw error;
    process.exitCode = 1;
  }
}
