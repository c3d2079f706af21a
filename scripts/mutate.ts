import { globSync } from "node:fs";
import { resolve } from "node:path";
import { build, run } from "./build.ts";
import { CliError, runScript } from "./cli-error.ts";

/*
 * Changes the named files or folders of core one place at a time, runs the tests that reach the place, and prints each change that no
 * test notices.
 */
await runScript(() => {
  const paths = process.argv.slice(2).flatMap((path) => [path, `${path}/**/*.ts`]);
  const mutate = globSync(paths).filter((path) => path.endsWith(".ts"));
  if (mutate.length === 0) throw new CliError("Name files or folders: npm run mutate -- packages/core/src/limits");
  build();
  process.env.NODE_COMPILE_CACHE ??= resolve(".doorcode/compiled");
  run("stryker", "run", "test/mutants/stryker.json", "--mutate", mutate.join(","));
});
