import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { builtVariable } from "../test/support/build.ts";
import { pnpm } from "../test/support/pnpm.ts";

/** A command that must succeed. */
interface Check {
  readonly title: string;
  readonly command: readonly [program: string, ...options: string[]];
}

/** The numbers of checks or tests that have passed and failed. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

/** Runs all checks, several at a time, and prints the output of each in one piece. */
export async function runChecks(): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-packed-"));
  try {
    const builds = await passes({ title: "the packages", command: [process.execPath, "scripts/build.ts"] });
    if (builds) process.env[builtVariable] = "1";
    const packages = readdirSync("packages").map((name) => readPackage(name, folder));
    // Packing builds a package from nothing: until all are packed, only what reads the sources can run beside it.
    const [ofSources, packing] = await Promise.all([run(checksOfSources, 1), run(packages.map(packCheck), 1)]);
    const ofPackages = await run([...packages.flatMap(checksOfPackage), ...checksOfBuild], availableParallelism());
    const outcomes = [builds, ...ofSources, ...packing, ...ofPackages];
    const passed = outcomes.filter(Boolean).length;
    return { passed, failed: outcomes.length - passed };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const checksOfSources: readonly Check[] = [
  { title: "types of tests, examples and scripts", command: ["tsc", "-p", "test"] },
  { title: "lint and format", command: ["biome", "ci", "."] },
];

const types = "test/adapters/types";
const typescript54 = [process.execPath, "node_modules/typescript54/bin/tsc", "-p"] as const;

const checksOfBuild: readonly Check[] = [
  { title: "types that users see", command: ["tsc", "-p", types] },
  { title: "types that users of Express 4 see", command: ["tsc", "-p", `${types}/express4`] },
  { title: "types with TypeScript 5.4", command: [...typescript54, `${types}/tsconfig.typescript54.json`] },
  {
    title: "types with TypeScript 5.4, Express 4 and a bundler",
    command: [...typescript54, `${types}/express4/tsconfig.typescript54.json`],
  },
  { title: "nothing unused", command: ["knip"] },
];

/** A package, and where it is packed. */
interface Package {
  readonly path: string;
  readonly folder: string;
  readonly tarball: string;
}

function readPackage(name: string, folder: string): Package {
  const path = `packages/${name}`;
  const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  const file = `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`;
  return { path, folder, tarball: join(folder, file) };
}

function packCheck({ path, folder }: Package): Check {
  return {
    title: `pack ${path}`,
    command: [...pnpm(), "--dir", path, "pack", "--pack-destination", folder],
  };
}

function checksOfPackage({ path, tarball }: Package): readonly Check[] {
  return [
    // `require()` of a module works on every Node that the packages support, which attw does not know.
    { title: `attw ${path}`, command: ["attw", tarball, "--ignore-rules", "cjs-resolves-to-esm"] },
    { title: `publint ${path}`, command: ["publint", "--strict", tarball] },
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
