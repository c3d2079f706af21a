import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename } from "node:path";
import { build } from "./build.ts";
import { CliError, cliErrorOf } from "./cli-error.ts";

/** Runs the named benchmark, by default `sandbox`. The benchmark gets the options, such as `--quick`. */
function bench(words: readonly string[]): void {
  const isOption = (word: string) => word.startsWith("--");
  const name = words.find((word) => !isOption(word)) ?? "sandbox";
  const options = words.filter(isOption);
  const names = globSync("test/benchmarks/*.ts").map((file) => basename(file, ".ts"));
  if (!names.includes(name)) {
    throw new CliError(`There is no benchmark ${name}. Use npm run bench -- ${names.sort().join(" or ")}.`);
  }
  build();
  const { status } = spawnSync(process.execPath, [`test/benchmarks/${name}.ts`, ...options], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}

try {
  bench(process.argv.slice(2));
} catch (error) {
  const cliError = cliErrorOf(error);
  if (!cliError) throw error;
  process.stderr.write(`${cliError.message}\n`);
  process.exitCode = 1;
}
