import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { run } from "./build.ts";
import { CliError, runScript } from "./cli-error.ts";

/*
 * `npm run mutate -- PATH …`: changes the named files or folders of core in one place at a time, runs the tests of their folder that reach
 * the place, and prints each change that no test notices. `--since main` takes the files that differ from a branch.
 */

const sources = "packages/core/src";
const ofLogins = ["test/login/*.test.ts", "packages/core/test/properties/*.test.ts"];
const ofWebhooks = ["test/webhooks/*.test.ts", "packages/core/test/{properties,webhooks}/*.test.ts"];

/** The tests beside those of the folder itself. Other folders have those of logins. */
const testsOf: Readonly<Record<string, readonly string[]>> = {
  webhooks: ofWebhooks,
  store: ["packages/core/test/webhooks/*.test.ts"],
  http: [...ofLogins, ...ofWebhooks, "packages/core/test/*.test.ts", "test/adapters/{fetch,mounts,proxy}.test.ts"],
};

function mutate(args: readonly string[]): void {
  const options = { since: { type: "string" } } as const;
  const { positionals, values } = parseArgs({ args: [...args], allowPositionals: true, options });
  const all = globSync(`${sources}/*/*.ts`).map((file) => file.replaceAll("\\", "/"));
  const changed = values.since === undefined ? all : changedSince(values.since);
  const isChosen = (file: string) => positionals.length === 0 || positionals.some((path) => file.startsWith(path));
  const chosen = all.filter((file) => changed.includes(file) && isChosen(file));
  if (chosen.length === 0) throw new CliError(`There is nothing to mutate. Name files or folders below ${sources}.`);
  const byFolder = Map.groupBy(chosen, (file) => file.split("/")[3] ?? "");
  for (const [folder, files] of byFolder) mutateFolder(folder, files);
}

function changedSince(commit: string): readonly string[] {
  return execFileSync("git", ["diff", "--name-only", commit, "--", sources], { encoding: "utf8" }).split("\n");
}

function mutateFolder(folder: string, files: readonly string[]): void {
  const tests = globSync([`packages/core/test/${folder}/*.test.ts`, ...(testsOf[folder] ?? ofLogins)]);
  process.env.DOORCODE_MUTANT_TESTS = tests.join(",");
  const plugins = ["@stryker-mutator/vitest-runner", resolve("test/mutants/texts.ts")].join(",");
  run("stryker", "run", "test/mutants/stryker.json", "--plugins", plugins, "--mutate", files.join(","));
}

await runScript(() => mutate(process.argv.slice(2)));
