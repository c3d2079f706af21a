import { run } from "./build.ts";
import { runScript } from "./cli-error.ts";

/*
 * `npm run chaos`, `npm run explore` and `npm run fuzz`: tests of which `npm test` runs a small part. Variables change the size.
 */

const [kind, ...words] = process.argv.slice(2);
const folder = kind === "fuzz" ? "packages/core/test/properties" : `test/${kind}`;

await runScript(() => {
  process.env.DOORCODE_CHAOS_EVENTS ??= "100000";
  process.env.DOORCODE_EXPLORE_SCHEDULES ??= "100000";
  process.env.DOORCODE_FUZZ_INPUTS ??= "1000000";
  run("vitest", "run", folder, ...words);
});
