import { spawnSync } from "node:child_process";
import { existsSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CliError, cliErrorOf } from "./cli-error.ts";

const root = join(import.meta.dirname, "..");

/**
 * Builds the packages, and the bundle of the login page.
 *
 * @throws CliError if the build fails; the compiler has printed its errors
 */
export function build(): void {
  process.stdout.write("Building …\n");
  removeOldBuilds();
  run("tsc", "-b");
  run(process.execPath, "scripts/bundle-browser.ts");
}

/** The compiler leaves the output of a source that is gone. Such a package is built from nothing. */
function removeOldBuilds(): void {
  for (const folder of globSync("packages/*", { cwd: root })) {
    const built = globSync("**/*.d.ts", { cwd: join(root, folder, "dist") });
    const sources = built.map((file) => join(root, folder, "src", file.replace(/d\.ts$/, "ts")));
    const isOld = sources.some((file) => !existsSync(file) && !existsSync(`${file}x`));
    if (isOld) rmSync(join(root, folder, "dist"), { recursive: true });
  }
}

function run(program: string, ...words: readonly string[]): void {
  const { status } = spawnSync(program, words, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) throw new CliError("The build failed. Its errors are above.");
}

if (import.meta.main) {
  try {
    build();
  } catch (error) {
    if (!cliErrorOf(error)) throw error;
    process.exitCode = 1;
  }
}
