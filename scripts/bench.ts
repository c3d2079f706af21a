import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, run } from "./build.ts";
import { print, runScript } from "./cli-error.ts";

/*
 * `npm run bench`: measures every floor of docs/benchmarks.md in one run. With names only these, such as `-- webhook guard`; `--quick` shows
 * in seconds that they work.
 */

const folder = join(import.meta.dirname, "../test/benchmarks");

/** Installs the libraries that the kit is measured beside, unless they are there. They have a separate lockfile. */
function installPeers(): void {
  const stamp = join(folder, "node_modules", ".doorcode-installed");
  const wanted = readFileSync(join(folder, "package-lock.json"), "utf8");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  print("Installing the other libraries …");
  run("npm", "ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error");
  writeFileSync(stamp, wanted);
}

await runScript(() => {
  build();
  installPeers();
  run("tsc", "-p", folder);
  run(process.execPath, join(folder, "run.ts"), ...process.argv.slice(2));
});
