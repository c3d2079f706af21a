import { spawn } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { builtVariable } from "../test/support/build.ts";
import { pnpm } from "../test/support/pnpm.ts";
import { print } from "./cli-error.ts";

/** A command that must succeed. */
interface Check {
  readonly title: string;
  readonly command: readonly [program: string, ...words: string[]];
}

const types = "test/adapters/types";
/** Checks with one checker: several check the same types again and again, and other checks need the cores. */
const typescript = (project: string): Check["command"] => ["tsc", "-p", project, "--checkers", "1"];
const typescript54 = [process.execPath, "node_modules/typescript54/bin/tsc", "-p"] as const;

const checks: readonly Check[] = [
  { title: "types of tests, examples and scripts", command: typescript("test") },
  { title: "lint and format", command: ["biome", "ci", "."] },
  { title: "nothing unused", command: ["knip"] },
  { title: "types that users see", command: typescript(types) },
  { title: "types that users of Express 4 see, with a bundler", command: typescript(`${types}/express4`) },
  { title: "types of the built packages, and of what they import", command: typescript(`${types}/packages`) },
  { title: "types with TypeScript 5.4", command: [...typescript54, `${types}/tsconfig.typescript54.json`] },
];

/** The numbers of checks or tests that have passed and failed. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

/** Builds the packages, for the checks and for the tests. */
export async function buildPackages(): Promise<Outcome> {
  const builds = await passes({ title: "the packages", command: [process.execPath, "scripts/build.ts"] });
  if (builds) process.env[builtVariable] = "1";
  return { passed: builds ? 1 : 0, failed: builds ? 0 : 1 };
}

/** Packs the built packages and runs all checks. It prints the output of each that fails. */
export async function runChecks(): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-packed-"));
  try {
    const packing = await run([packCheck(folder)], 1);
    const tarballs = globSync("*.tgz", { cwd: folder }).map((file) => join(folder, file));
    const others = await run([...checks, ...tarballs.flatMap(checksOfTarball)], availableParallelism());
    const outcomes = [...packing, ...others];
    const passed = outcomes.filter(Boolean).length;
    return { passed, failed: outcomes.length - passed };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Each package builds itself before it is packed, so they are packed one by one. */
function packCheck(folder: string): Check {
  const everyPackage = ["--recursive", "--workspace-concurrency=1", "--filter=./packages/*"] as const;
  return { title: "pack the packages", command: [...pnpm(), ...everyPackage, "pack", "--pack-destination", folder] };
}

function checksOfTarball(tarball: string): readonly Check[] {
  return [
    // `require()` of a module works on every Node that the packages support, which attw does not know.
    { title: `attw ${basename(tarball)}`, command: ["attw", tarball, "--ignore-rules", "cjs-resolves-to-esm"] },
    { title: `publint ${basename(tarball)}`, command: ["publint", "--strict", tarball] },
  ];
}

/** Runs checks in this order, at most `atOnce` at a time, and returns which of them have passed. */
async function run(checks: readonly Check[], atOnce: number): Promise<readonly boolean[]> {
  const waiting = [...checks];
  const outcomes: boolean[] = [];
  async function runWaiting(): Promise<void> {
    for (let check = waiting.shift(); check; check = waiting.shift()) outcomes.push(await passes(check));
  }
  await Promise.all(Array.from({ length: atOnce }, runWaiting));
  return outcomes;
}

async function passes({ title, command: [program, ...words] }: Check): Promise<boolean> {
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const status = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null)).once("close", resolve);
  });
  print(status === 0 ? `✓ ${title}` : `\n— ${title}\n${output}✗ ${title}`);
  return status === 0;
}
