import { spawnSync } from "node:child_process";
import { CliError } from "./cli-error.ts";

/**
 * Builds the packages, which the scripts use.
 *
 * @throws CliError if the build fails; the compiler has printed its errors
 */
export function build(): void {
  process.stdout.write("Building …\n");
  const { status } = spawnSync("tsc", ["-b"], { stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) throw new CliError("The build failed. The compiler's errors are above.");
}
