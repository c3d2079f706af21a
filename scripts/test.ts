import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reachesRegistry } from "../test/fresh-apps/packages.ts";
import { canHaveDisk, canTrace } from "../test/stores/sqlite-process.ts";
import { keepCompiled } from "../test/support/build.ts";
import { findChromium } from "../test/support/chromium.ts";
import { findFirefox } from "../test/support/firefox.ts";
import { findMariadb } from "../test/support/mariadb-server.ts";
import { canStartPostgres, findPostgres } from "../test/support/postgres-server.ts";
import { buildPackages, type Outcome, runChecks } from "./checks.ts";
import { print } from "./cli-error.ts";

/*
 * `npm test`: all checks and all tests, and at the end the tests that cannot run on this machine. With paths only these tests, because a
 * part is run again and again while something is written. With `-- --checks` only the checks, and with `-- --tests` only the tests.
 */

const words = process.argv.slice(2);
const unknown = words.find((word) => word.startsWith("-") && word !== "--checks" && word !== "--tests");
if (unknown !== undefined) {
  print(`${unknown} is not an option. Use npm test alone, or with paths of tests, -- --checks or -- --tests.`);
  process.exit(1);
}
const paths = words.filter((word) => !word.startsWith("--"));
const runsChecks = paths.length === 0 && !words.includes("--tests");
const runsTests = !words.includes("--checks");
const none: Outcome = { passed: 0, failed: 0 };

/** Runs the tests and returns the numbers of passed and failed ones. A run without a report counts as one failure. */
async function runTests(): Promise<Outcome> {
  print("\n— tests");
  const report = join(tmpdir(), `doorcode-tests-${process.pid}.json`);
  const options = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  // Not the command of the workspace, which would choose the workspace's Node.
  const command = ["node_modules/vitest/vitest.mjs", ...options, ...paths];
  const [status] = await once(spawn(process.execPath, command, { stdio: ["ignore", "inherit", "inherit"] }), "exit");
  try {
    const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(report, "utf8"));
    rmSync(report);
    const failed = numTotalTests - numPassedTests;
    return { passed: numPassedTests, failed: status === 0 ? failed : Math.max(1, failed) };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const onPath = (program: string) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
const hasRedis = onPath("redis-server");
const hasPostgres = canStartPostgres();

/** Programs that only some machines have, and the tests that need them. In CI each one counts as a failure. */
const required: readonly (readonly [program: string, isThere: boolean, tests: string])[] = [
  ["Chromium (or CHROMIUM_PATH)", findChromium() !== undefined, "test/page"],
  ["Redis (redis-server, or TEST_REDIS_URL)", hasRedis || Boolean(process.env.TEST_REDIS_URL), "tests on Redis"],
  ["redis-server", hasRedis, "tests that stop a Redis of their own, and examples/cluster"],
  ["PostgreSQL server", hasPostgres || (await findPostgres()) !== undefined, "tests on PostgreSQL, except on PGlite"],
  ["initdb of PostgreSQL", hasPostgres, "tests that stop a PostgreSQL of their own"],
  ["npm's registry", reachesRegistry(), "test/fresh-apps"],
];
/** The same, for programs that CI may lack. */
const optional: typeof required = [
  ["Firefox (or FIREFOX_PATH)", findFirefox() !== undefined, "the login page in Firefox"],
  ["WebKit, which no test can drive yet", false, "the login page in Safari's engine"],
  [
    "MariaDB (TEST_MARIADB_URL, or root without a password)",
    (await findMariadb()) !== undefined,
    "examples/mariadb-store, and the programs for mysql2 and Knex on it",
  ],
  ["unshare, which gives a process a disk of its own", canHaveDisk, "SQLite on a full disk"],
  ["strace, as root", canTrace, "SQLite on a disk that fails"],
  ["valkey-server", onPath("valkey-server"), "the Redis store and its inbox on Valkey"],
];
const missing = (programs: typeof required) => programs.filter(([, isThere]) => !isThere);

keepCompiled();
const built = runsChecks ? await buildPackages() : none;
// At the same time: tests wait for processes and timers, and the checks use the cores meanwhile.
const [checks, tests] = await Promise.all([runsChecks ? runChecks() : none, runsTests ? runTests() : none]);
const missingInCi = runsTests && process.env.CI ? missing(required).length : 0;
const failed = built.failed + checks.failed + tests.failed + missingInCi;
if (runsTests && paths.length === 0) {
  for (const [program, , what] of missing([...required, ...optional]))
    print(`\nNot run: ${what}. Missing: ${program}.`);
}
if (runsTests && checks.failed > 0)
  print(`\n${checks.failed} of the checks failed: see ✗ above, or run npm test -- --checks.`);
print(`\n${built.passed + checks.passed + tests.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
