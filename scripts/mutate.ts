import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { judged } from "../test/mutants/judged.ts";
import { CliError, cliErrorOf } from "./cli-error.ts";

const sources = "packages/core/src";

/**
 * The folders that are mutated, and the tests that run on each mutant: those that hold the promises of the folder. Other
 * tests meet the same code on other stores and frameworks, where conformance shows that nothing differs.
 */
const testsOf: Readonly<Record<string, readonly string[]>> = {
  login: ["test/login/*.test.ts"],
  session: ["test/login/*.test.ts", "test/adapters/fetch.test.ts"],
  webhook: ["packages/core/test/webhook/*.test.ts", "test/webhooks/*.test.ts"],
  store: ["packages/core/test/store/*.test.ts", "packages/core/test/webhook/*.test.ts"],
  http: [
    "packages/core/test/webhook/webhook-endpoint.test.ts",
    "test/adapters/{fetch,mounts}.test.ts",
    "test/login/*.test.ts",
    "test/webhooks/*.test.ts",
  ],
};

/** A mutant that no test killed. */
interface Survivor {
  /** The file below `packages/core/src`. */
  readonly file: string;
  readonly lineNumber: number;
  /** The line, without its indentation. */
  readonly line: string;
  /** The code, and what it becomes. */
  readonly change: string;
}

/** The outcome of the mutants of one folder. */
interface FolderOutcome {
  readonly killed: number;
  readonly judged: number;
  readonly survivors: readonly Survivor[];
}

/** Mutates the files of a folder one place at a time, and runs the tests that reach the place until one fails. */
async function mutateFolder(folder: string, files: readonly string[], workers?: number): Promise<FolderOutcome> {
  // Each mutant gets a worker of its own, and all workers load the same modules.
  process.env.NODE_COMPILE_CACHE ??= resolve(".doorcode/compiled");
  mkdirSync(".doorcode/mutants", { recursive: true });
  const mutants = await new Stryker({
    mutate: [...files],
    testFiles: globSync([...(testsOf[folder] ?? [])]),
    testRunner: "vitest",
    vitest: { configFile: "vitest.mutate.config.ts", related: false },
    plugins: ["@stryker-mutator/vitest-runner", resolve("test/mutants/texts.ts")],
    ignorers: ["texts"],
    coverageAnalysis: "perTest",
    // A second run tests only the mutants whose file or tests have changed.
    incremental: true,
    incrementalFile: `.doorcode/mutants/${folder}.json`,
    tempDirName: ".doorcode/mutants/copies",
    ignorePatterns: [".doorcode", "dist", "docs", "test-results"],
    // TypeScript 7 has no API for reading it, and vitest does not need it.
    tsconfigFile: "none",
    reporters: ["progress-append-only"],
    logLevel: "warn",
    ...(workers !== undefined && { concurrency: workers }),
  } as ConstructorParameters<typeof Stryker>[0]).runMutationTest();

  const countOf = (...statuses: readonly string[]) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const left = mutants
    .filter(({ status }) => status === "Survived" || status === "NoCoverage")
    .map(({ fileName, location, replacement }) => describeSurvivor(resolve(fileName), location, replacement ?? ""));
  const survivors = left.filter((survivor) => !isJudged(survivor));
  return { killed: countOf("Killed", "Timeout"), judged: left.length - survivors.length, survivors };
}

/** A place in a file: lines and columns are counted from 1. */
interface Location {
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
}

function describeSurvivor(path: string, { start, end }: Location, replacement: string): Survivor {
  const lines = readFileSync(path, "utf8").split("\n");
  const first = lines[start.line - 1] ?? "";
  const text = lines.slice(start.line - 1, end.line);
  text[text.length - 1] = (text.at(-1) ?? "").slice(0, end.column - 1);
  text[0] = (text[0] ?? "").slice(start.column - 1);
  const onOneLine = (code: string) => code.replace(/\s+/g, " ");
  return {
    file: path.slice(resolve(sources).length + 1).replaceAll("\\", "/"),
    lineNumber: start.line,
    line: first.trim(),
    change: `${onOneLine(text.join("\n"))} → ${onOneLine(replacement)}`,
  };
}

function isJudged({ file, line, change }: Survivor): boolean {
  return judged.some((mutant) => mutant.file === file && mutant.line === line && mutant.change === change);
}

/** Returns the files to mutate: all, those below the given paths, those that differ from a commit. */
function chooseFiles(paths: readonly string[], since: string | undefined): readonly string[] {
  const all = globSync(`${sources}/{${Object.keys(testsOf).join(",")}}/*.ts`).map((file) => file.replaceAll("\\", "/"));
  const changed = since === undefined ? all : git("diff", "--name-only", since, "--", sources);
  const isChosen = (file: string) => paths.length === 0 || paths.some((path) => file.startsWith(path));
  const files = all.filter((file) => changed.includes(file) && isChosen(file));
  if (files.length === 0) throw new CliError(`There is nothing to mutate. Name files or folders below ${sources}.`);
  return files.toSorted();
}

function git(...args: readonly string[]): readonly string[] {
  return execFileSync("git", args, { encoding: "utf8" }).split("\n");
}

async function mutate(args: readonly string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { since: { type: "string" }, workers: { type: "string" } },
  });
  const files = chooseFiles(positionals, values.since);
  const workers = values.workers === undefined ? undefined : Number(values.workers);
  for (const folder of Object.keys(testsOf)) {
    const ofFolder = files.filter((file) => file.startsWith(`${sources}/${folder}/`));
    if (ofFolder.length > 0) report(folder, await mutateFolder(folder, ofFolder, workers));
  }
}

function report(folder: string, { killed, judged, survivors }: FolderOutcome): void {
  const score = (100 * killed) / (killed + survivors.length);
  const lines = survivors.map(({ file, lineNumber, line, change }) => {
    return `${sources}/${file}:${lineNumber}\n  ${line}\n  ${change}\n`;
  });
  process.stdout.write(`\n${lines.join("")}`);
  process.stdout.write(`${folder}: ${killed} killed, ${survivors.length} survived, ${judged} judged: ${score.toFixed(1)} %\n`);
}

try {
  await mutate(process.argv.slice(2));
} catch (error) {
  const cliError = cliErrorOf(error);
  if (!cliError) throw error;
  process.stderr.write(`${cliError.message}\n`);
  process.exitCode = 1;
}
