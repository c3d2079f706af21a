import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium } from "../test/support/chromium.ts";
import { canStartPostgres, findPostgres } from "../test/support/postgres-server.ts";

/** One thing that must hold; its output is shown as it comes. */
interface Check {
  readonly title: string;
  readonly command: readonly [string, ...string[]];
}

const packages = readdirSync("packages").map((name) => `packages/${name}`);
const report = join(tmpdir(), `doorcode-tests-${process.pid}.json`);

const checks: readonly Check[] = [
  { title: "types of the packages", command: ["tsc", "-b"] },
  { title: "types of tests, examples and scripts", command: ["tsc", "-p", "test"] },
  { title: "types that users see", command: ["tsc", "-p", "test/adapters/types"] },
  { title: "lint and format", command: ["biome", "ci", "."] },
  { title: "nothing unused", command: ["knip"] },
  ...packages.map(
    (path): Check => ({ title: `publint ${path}`, command: ["publint", "--strict", "--pack", "npm", path] }),
  ),
  ...packages.map(
    (path): Check => ({ title: `attw ${path}`, command: ["attw", "--pack", path, "--profile", "esm-only"] }),
  ),
];

function passes({ title, command: [program, ...options] }: Check): boolean {
  process.stdout.write(`\n— ${title}\n`);
  const { status } = spawnSync(program, options, { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) process.stdout.write(`✗ ${title}\n`);
  return status === 0;
}

/** Runs every test and answers how many passed and failed. A run that ends without a report counts as one failure. */
function runTests(): { passed: number; failed: number } {
  process.stdout.write("\n— tests\n");
  const options = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { status } = spawnSync("vitest", [...options, ...process.argv.slice(2)], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  try {
    const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(report, "utf8"));
    rmSync(report);
    const failed = numTotalTests - numPassedTests;
    return { passed: numPassedTests, failed: status === 0 ? failed : Math.max(1, failed) };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

/** Something that only some machines have; what cannot run without it is named, and counts as a failure in CI. */
interface Need {
  readonly program: string;
  readonly isThere: boolean;
  readonly tests: string;
  /** Not every Debian has it: where it cannot be installed, CI goes without. */
  readonly rare?: true;
}

const onPath = (program: string) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;

const needs: readonly Need[] = [
  { program: "Chromium (or CHROMIUM_PATH)", isThere: findChromium() !== undefined, tests: "test/page" },
  {
    program: "Redis (redis-server, or TEST_REDIS_URL)",
    isThere: onPath("redis-server") || Boolean(process.env.TEST_REDIS_URL),
    tests: "test/stores, test/inbox, test/login and test/webhooks on Redis",
  },
  {
    program: "redis-server",
    isThere: onPath("redis-server"),
    tests:
      "test/stores, test/inbox, test/faults and test/chaos, where they stop and kill a Redis of their own, and examples/cluster",
  },
  {
    program: "PostgreSQL server",
    isThere: canStartPostgres() || (await findPostgres()) !== undefined,
    tests: "test/stores, test/inbox, test/login and test/webhooks on PostgreSQL, but for PGlite",
  },
  {
    program: "initdb of PostgreSQL",
    isThere: canStartPostgres(),
    tests: "test/stores, test/faults and test/chaos, where they stop and kill a PostgreSQL of their own",
  },
  {
    program: "valkey-server",
    isThere: onPath("valkey-server"),
    tests: "the Redis store and its inbox on Valkey",
    rare: true,
  },
];
const missing = needs.filter(({ isThere }) => !isThere);

const outcomes = checks.map(passes);
const tests = runTests();
const passed = tests.passed + outcomes.filter(Boolean).length;
const missed = process.env.CI ? missing.filter(({ rare }) => !rare).length : 0;
const failed = tests.failed + outcomes.filter((outcome) => !outcome).length + missed;
for (const { program, tests } of missing)
  process.stdout.write(`
Not run here: ${tests}: no ${program} was found.
`);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
