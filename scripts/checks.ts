import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { builtVariable } from "../test/support/build.ts";

/** A command that must succeed. */
interface Check {
  readonly title: string;
  readonly command: readonly [program: string, ...options: string[]];
}

/** Everything else needs the packages as they are published. */
const build: Check = { title: "types of the packages", command: ["tsc", "-b"] };

const packages = readdirSync("packages").map((name) => `packages/${name}`);

/** The slow ones stand first, so that all cores have something to do until the end. */
const others: readonly Check[] = [
  { title: "types of tests, examples and scripts", command: ["tsc", "-p", "test"] },
  ...packages.map(
    (path): Check => ({ title: `attw ${path}`, command: ["attw", "--pack", path, "--profile", "esm-only"] }),
  ),
  ...packages.map(
    (path): Check => ({ title: `publint ${path}`, command: ["publint", "--strict", "--pack", "npm", path] }),
  ),
  { title: "types that users see", command: ["tsc", "-p", "test/adapters/types"] },
  { title: "nothing unused", command: ["knip"] },
  { title: "lint and format", command: ["biome", "ci", "."] },
];

/** How many checks or tests have passed and failed. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

/** Runs all checks, as many at a time as there are cores, and prints the output of each in one piece. */
export async function runChecks(): Promise<Outcome> {
  const waiting = [...others];
  const builds = await passes(build);
  if (builds) process.env[builtVariable] = "1";
  const outcomes = [builds];
  async function runWaiting(): Promise<void> {
    for (let check = waiting.shift(); check; check = waiting.shift()) outcomes.push(await passes(check));
  }
  await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
  const passed = outcomes.filter(Boolean).length;
  return { passed, failed: outcomes.length - passed };
}

async function passes({ title, command: [program, ...options] }: Check): Promise<boolean> {
  const child = spawn(program, options, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const status = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null)).once("close", resolve);
  });
  process.stdout.write(`\n— ${title}\n${output}${status === 0 ? "" : `✗ ${title}\n`}`);
  return status === 0;
}
