import { spawnSync } from "node:child_process";
import { existsSync, globSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { builtVariable } from "../test/support/build.ts";
import { CliError, print, runScript } from "./cli-error.ts";

const root = join(import.meta.dirname, "..");

/**
 * Builds the packages, and the bundle of the login page. Tests, which have built them, say so in the environment.
 *
 * @throws CliError if the build fails; the compiler has printed its errors
 */
export function build(): void {
  if (process.env[builtVariable]) return;
  print("Building …");
  removeOldBuilds();
  // Several checkers of one package check the same types again and again.
  run("tsc", "-b", "--checkers", "1");
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

/** Runs a program of the workspace. @throws CliError if it fails; it has printed its errors */
export function run(program: string, ...words: readonly string[]): void {
  const env = { ...process.env, PATH: [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter) };
  const shell = process.platform === "win32";
  const { status } = spawnSync(program, words, { cwd: root, stdio: "inherit", env, shell });
  if (status !== 0) throw new CliError(`${program} failed. Its errors are above.`);
}

// Node 22 has no `import.meta.main`.
if (process.argv[1] === import.meta.filename) await runScript(build);
