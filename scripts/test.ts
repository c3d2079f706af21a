import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reachesRegistry } from "../test/fresh-apps/packages.ts";
import { findChromium } from "../test/support/chromium.ts";
import { findFirefox } from "../test/support/firefox.ts";
import { findMariadb } from "../test/support/mariadb-server.ts";
import { canStartPostgres, findPostgres } from "../test/support/postgres-server.ts";
import { type Outcome, runChecks } from "./checks.ts";

const paths = process.argv.slice(2);
const report = join(tmpdir(), `doorcode-tests-${process.pid}.json`);

/** Runs the tests and returns the numbers of passed and failed ones. A run without a report counts as one failure. */
function runTests(): Outcome {
  process.stdout.write("\n— tests\n");
  const options = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { status } = spawnSync("vitest", [...options, ...paths], {
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

/** A program or service that only some machines have. The tests that need it are listed, and count as a failure in CI. */
interface RequiredProgram {
  readonly program: string;
  readonly isInstalled: boolean;
  /** The tests that do not run without the program. */
  readonly tests: string;
  /** True if CI may run without it, because not every machine has it. */
  readonly optional?: true;
}

const onPath = (program: string) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;

const requiredPrograms: readonly RequiredProgram[] = [
  { program: "Chromium (or CHROMIUM_PATH)", isInstalled: findChromium() !== undefined, tests: "test/page" },
  {
    program: "Firefox (or FIREFOX_PATH)",
    isInstalled: findFirefox() !== undefined,
    tests: "the login page in Firefox",
    optional: true,
  },
  {
    program: "WebKit, which no test can drive yet",
    isInstalled: false,
    tests: "the login page in Safari's engine",
    optional: true,
  },
  {
    program: "Redis (redis-server, or TEST_REDIS_URL)",
    isInstalled: onPath("redis-server") || Boolean(process.env.TEST_REDIS_URL),
    tests: "test/stores, test/inbox, test/login and test/webhooks on Redis",
  },
  {
    program: "redis-server",
    isInstalled: onPath("redis-server"),
    tests:
      "test/stores, test/inbox, test/faults and test/chaos, where they stop and kill a Redis of their own, and examples/cluster",
  },
  {
    program: "PostgreSQL server",
    isInstalled: canStartPostgres() || (await findPostgres()) !== undefined,
    tests: "test/stores, test/inbox, test/login and test/webhooks on PostgreSQL, except on PGlite",
  },
  {
    program: "initdb of PostgreSQL",
    isInstalled: canStartPostgres(),
    tests: "test/stores, test/faults and test/chaos, where they stop and kill a PostgreSQL of their own",
  },
  {
    program: "MariaDB (TEST_MARIADB_URL, or root without a password on 127.0.0.1:3306)",
    isInstalled: (await findMariadb()) !== undefined,
    tests: "the store of examples/mariadb-store",
    optional: true,
  },
  {
    program: "valkey-server",
    isInstalled: onPath("valkey-server"),
    tests: "the Redis store and its inbox on Valkey",
    optional: true,
  },
  { program: "npm's registry", isInstalled: reachesRegistry(), tests: "test/fresh-apps" },
];
const missing = requiredPrograms.filter(({ isInstalled }) => !isInstalled);

// A part of the tests is run again and again while something is written: the checks are for the whole.
const checks = paths.length === 0 ? await runChecks() : { passed: 0, failed: 0 };
const tests = runTests();
const passed = checks.passed + tests.passed;
const missingFailures = process.env.CI ? missing.filter(({ optional }) => !optional).length : 0;
const failed = checks.failed + tests.failed + missingFailures;
for (const { program, tests } of missing) process.stdout.write(`\nNot run: ${tests}. Missing: ${program}.\n`);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
