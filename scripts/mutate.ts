import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { resolve } from "node:path";

/*
 * Changes the named files or folders of core one place at a time, runs the tests that reach the place, and prints each change that no
 * test notices.
 */
const paths = process.argv.slice(2);
const mutate = globSync(paths.flatMap((path) => [path, `${path}/**/*.ts`])).filter((path) => path.endsWith(".ts"));
if (mutate.length === 0) {
  process.stderr.write("Name files or folders: npm run mutate -- packages/core/src/limits\n");
  process.exitCode = 1;
} else {
  const { status } = spawnSync("stryker", ["run", "test/mutants/stryker.json", "--mutate", mutate.join(",")], {
    stdio: "inherit",
    env: { NODE_COMPILE_CACHE: resolve(".doorcode/compiled"), ...process.env },
    shell: process.platform === "win32",
  });
  process.exitCode = status ?? 1;
}
