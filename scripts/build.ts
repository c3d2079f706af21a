import { spawnSync } from "node:child_process";
import { Complaint } from "./ports.ts";

/**
 * Builds the packages, on which everything below `scripts` runs.
 *
 * @throws Complaint when that fails; the compiler has said why
 */
export function build(): void {
  process.stdout.write("Building …\n");
  const { status } = spawnSync("tsc", ["-b"], { stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) throw new Complaint("The build failed; what is wrong stands above.");
}
