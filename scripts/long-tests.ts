import { run } from "./build.ts";
import { CliError, runScript } from "./cli-error.ts";

/*
 * `npm run chaos`, `npm run explore` and `npm run fuzz`: tests of which `npm test` runs a small part. Variables change the size.
 */

const tests: Readonly<Record<string, string>> = {
  chaos: "test/chaos",
  explore: "test/explore",
  fuzz: "packages/core/test/properties",
};

await runScript(() => {
  const [kind = "", ...words] = process.argv.slice(2);
  const folder = tests[kind];
  if (folder === undefined) throw new CliError(`There are no such tests. Use ${Object.keys(tests).join(", ")}.`);
  process.env.DOORCODE_CHAOS_EVENTS ??= "100000";
  process.env.DOORCODE_EXPLORE_SCHEDULES ??= "100000";
  process.env.DOORCODE_FUZZ_INPUTS ??= "1000000";
  run("vitest", "run", folder, ...words);
});
