import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "./cli-error.ts";

const folder = join(import.meta.dirname, "../test/benchmarks/peers");
const stamp = join(folder, "node_modules", ".doorcode-installed");

/**
 * Installs the libraries that the kit is measured beside, unless they are there. They have a lockfile of their own, so that the
 * workspace installs none of them. Then it checks the types of the programs that use them.
 *
 * @throws CliError if npm or the compiler fails
 */
export function installPeers(): void {
  const wanted = readFileSync(join(folder, "package-lock.json"), "utf8");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
    process.stdout.write("Installing the other libraries …\n");
    run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]);
    writeFileSync(stamp, wanted);
  }
  run("tsc", ["-p", "."]);
}

function run(program: string, words: readonly string[]): void {
  const { status } = spawnSync(program, words, { cwd: folder, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) throw new CliError(`${program} failed in test/benchmarks/peers. Its errors are above.`);
}
