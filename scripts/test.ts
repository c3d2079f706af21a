import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium } from "../test/support/chromium.ts";

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

/** What cannot run on this machine, and what would let it. */
const notRun = [
  ...(findChromium() ? [] : ["test/page: no Chromium was found; install it, or name it in CHROMIUM_PATH"]),
];

const outcomes = checks.map(passes);
const tests = runTests();
const passed = tests.passed + outcomes.filter(Boolean).length;
const missing = process.env.CI ? notRun.length : 0;
const failed = tests.failed + outcomes.filter((outcome) => !outcome).length + missing;
for (const sentence of notRun) process.stdout.write(`\nNot run here: ${sentence}.\n`);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
