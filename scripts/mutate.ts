import { execFileSync, spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { judged } from "../test/mutants/judged.ts";
import { CliError, cliErrorOf } from "./cli-error.ts";

const sources = "packages/core/src";

/**
 * The folders that are mutated, and the tests that run on each mutant: those that hold the promises of the folder. Other
 * tests meet the same code on other stores and frameworks, where conformance shows that nothing differs.
 */
const testsOf: Readonly<Record<string, readonly string[]>> = {
  limits: ["packages/core/test/limits/*.test.ts", "test/login/*.test.ts"],
  codes: ["packages/core/test/codes/*.test.ts", "packages/core/test/constant-time.test.ts", "test/login/*.test.ts"],
  login: ["packages/core/test/login/*.test.ts", "test/login/*.test.ts"],
  session: ["test/adapters/fetch.test.ts", "test/adapters/sessions/*.test.ts", "test/login/*.test.ts"],
  webhook: [
    "packages/core/test/constant-time.test.ts",
    "packages/core/test/webhook/*.test.ts",
    "packages/core/test/properties/*.test.ts",
    "test/login/{live-state,texts-of-the-app,undelivered}.test.ts",
    "test/webhooks/*.test.ts",
  ],
  store: ["packages/core/test/store/*.test.ts", "packages/core/test/webhook/*.test.ts"],
  http: [
    "packages/core/test/client-reader.test.ts",
    "packages/core/test/properties/*.test.ts",
    "packages/core/test/webhooks/webhook-endpoint.test.ts",
    "test/adapters/{fetch,mounts,proxy}.test.ts",
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

/** The part that is read of Stryker's report. Lines and columns are counted from 1. */
interface Report {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: string;
        readonly mutants: readonly {
          readonly status: string;
          readonly replacement: string;
          readonly location: Readonly<Record<"start" | "end", { readonly line: number; readonly column: number }>>;
        }[];
      }
    >
  >;
}

/** How the mutants of a folder are run. */
interface RunOptions {
  /** The number of mutants that are tested at a time; one less than there are cores when left out. */
  readonly workers?: string | undefined;
  /** True to test also the mutants that an earlier run has tested. */
  readonly force?: boolean | undefined;
}

/** Mutates the files of a folder one place at a time, and runs the tests that reach the place until one fails. */
function mutateFolder(folder: string, files: readonly string[], { workers, force }: RunOptions): FolderOutcome {
  const report = `.doorcode/mutants/${folder}.json`;
  const choices = {
    plugins: ["@stryker-mutator/vitest-runner", resolve("test/mutants/texts.ts")],
    mutate: files,
    // A second run tests only the mutants whose file or tests have changed. A constant of a module that survived has no test of
    // its own: a new test needs --force there.
    incrementalFile: [report],
    ...(workers !== undefined && { concurrency: [workers] }),
  };
  const options = Object.entries(choices).flatMap(([name, values]) => [`--${name}`, values.join(",")]);
  if (force) options.push("--force");
  // Each mutant gets a worker of its own, and all workers load the same modules.
  const env = {
    NODE_COMPILE_CACHE: resolve(".doorcode/compiled"),
    ...process.env,
    DOORCODE_MUTANT_TESTS: globSync([...(testsOf[folder] ?? [])]).join(","),
  };
  const { status } = spawnSync("stryker", ["run", "test/mutants/stryker.json", ...options], {
    stdio: "inherit",
    env,
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new CliError(`The tests of ${folder} did not run: see above.`);
  return readOutcome(JSON.parse(readFileSync(report, "utf8")), files);
}

function readOutcome(report: Report, files: readonly string[]): FolderOutcome {
  const mutants = files.flatMap((file) => {
    const { source = "", mutants = [] } = report.files[file] ?? {};
    return mutants.map((mutant) => ({ ...mutant, file, lines: source.split("\n") }));
  });
  const withStatus = (...statuses: readonly string[]) => mutants.filter(({ status }) => statuses.includes(status));
  const alive = withStatus("Survived", "NoCoverage").map(describeSurvivor);
  const survivors = alive.filter((survivor) => !isJudged(survivor));
  return { killed: withStatus("Killed", "Timeout").length, judged: alive.length - survivors.length, survivors };
}

type Mutant = Report["files"][string]["mutants"][number];

function describeSurvivor({
  file,
  lines,
  location,
  replacement,
}: Mutant & { file: string; lines: string[] }): Survivor {
  const { start, end } = location;
  const text = lines.slice(start.line - 1, end.line);
  const line = text[0] ?? "";
  // The end first: both may be on one line.
  text[text.length - 1] = (text.at(-1) ?? "").slice(0, end.column - 1);
  text[0] = (text[0] ?? "").slice(start.column - 1);
  const onOneLine = (code: string) => code.replace(/\s+/g, " ");
  return {
    file: file.slice(sources.length + 1),
    lineNumber: start.line,
    line: line.trim(),
    change: `${onOneLine(text.join("\n"))} → ${onOneLine(replacement)}`,
  };
}

function isJudged({ file, line, change }: Survivor): boolean {
  return judged.some((mutant) => mutant.file === file && mutant.line === line && mutant.change === change);
}

/** Returns the files to mutate: all, those that begin with a given path, those that differ from a commit. */
function chooseFiles(paths: readonly string[], since: string | undefined): readonly string[] {
  const all = globSync(`${sources}/{${Object.keys(testsOf).join(",")}}/*.ts`).map((file) => file.replaceAll("\\", "/"));
  const changed = since === undefined ? all : changedSince(since);
  const isChosen = (file: string) => paths.length === 0 || paths.some((path) => file.startsWith(path));
  const files = all.filter((file) => changed.includes(file) && isChosen(file));
  if (files.length === 0) throw new CliError(`There is nothing to mutate. Name files or folders below ${sources}.`);
  return files.toSorted();
}

function changedSince(commit: string): readonly string[] {
  return execFileSync("git", ["diff", "--name-only", commit, "--", sources], { encoding: "utf8" }).split("\n");
}

/** Mutates the named files or folders of core, by default all, and prints each mutant that survived, and the scores. */
function mutate(args: readonly string[]): void {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { since: { type: "string" }, workers: { type: "string" }, force: { type: "boolean" } },
  });
  const files = chooseFiles(positionals, values.since);
  for (const folder of Object.keys(testsOf)) {
    const ofFolder = files.filter((file) => file.startsWith(`${sources}/${folder}/`));
    if (ofFolder.length > 0) print(folder, mutateFolder(folder, ofFolder, values));
  }
}

function print(folder: string, { killed, judged, survivors }: FolderOutcome): void {
  for (const { file, lineNumber, line, change } of survivors) {
    process.stdout.write(`\n${sources}/${file}:${lineNumber}\n  ${line}\n  ${change}\n`);
  }
  const score = ((100 * killed) / (killed + survivors.length)).toFixed(1);
  const counts = `${killed} killed, ${survivors.length} survived, ${judged} judged`;
  process.stdout.write(`\n${folder}: ${counts}: ${score} %\n`);
}

try {
  mutate(process.argv.slice(2));
} catch (error) {
  const cliError = cliErrorOf(error);
  if (!cliError) throw error;
  process.stderr.write(`${cliError.message}\n`);
  process.exitCode = 1;
}
