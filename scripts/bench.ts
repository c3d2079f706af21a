import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeDocument } from "../test/benchmarks/document.ts";
import type { Figure } from "../test/benchmarks/measure/figures.ts";
import { beforeOption } from "../test/benchmarks/measure/run.ts";
import { groups, longRuns } from "../test/benchmarks/rows.ts";
import { build, run } from "./build.ts";
import { CliError, print, runScript } from "./cli-error.ts";

const peers = join(import.meta.dirname, "../test/benchmarks/peers");

/**
 * Runs the named benchmarks, or all that have a row. `--quick` runs each in seconds, without the other libraries; `--write` puts the table
 * into the document. `--before=../other` also measures the kit of another checkout, which must be built, in the same rounds.
 */
async function bench(words: readonly string[]): Promise<void> {
  const options = words.filter((word) => word.startsWith("--"));
  const names = words.filter((word) => !word.startsWith("--"));
  const known = [...groups, ...longRuns];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new CliError(`There is no benchmark ${unknown}. Use npm run bench -- ${known.join(" or ")}.`);
  }
  if (options.includes("--write") && (names.length > 0 || options.includes("--quick"))) {
    throw new CliError("--write needs all figures: use npm run bench -- --write.");
  }
  const before = options.find((option) => option.startsWith(beforeOption))?.slice(beforeOption.length);
  if (before !== undefined && !existsSync(join(before, "packages/core/dist/index.js"))) {
    throw new CliError(`--before: ${before} is no built checkout of this repository. Run npm run bench there first.`);
  }
  build();
  const needsPeers = names.length === 0 || names.some((name) => groups.includes(name));
  if (options.includes("--quick")) options.push("--without-peers");
  else if (needsPeers) installPeers();
  const figures: Figure[] = [];
  const failed: string[] = [];
  for (const name of names.length > 0 ? names : groups) {
    const measured = await runGroup(name, options);
    if (measured) figures.push(...measured);
    else failed.push(name);
  }
  if (failed.length > 0)
    throw new CliError(`Failed, with their errors above: ${failed.join(", ")}. Nothing was written.`);
  if (options.includes("--write")) writeDocument(figures);
}

/** Runs a group in a process of its own, which prints its figures and sends them too. Returns `undefined` if it fails. */
async function runGroup(name: string, options: readonly string[]): Promise<readonly Figure[] | undefined> {
  print(`\n— ${name}`);
  const figures: Figure[] = [];
  const child = spawn(process.execPath, [`test/benchmarks/${name}.ts`, ...options], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  child.on("message", (message) => figures.push(...(message as readonly Figure[])));
  const [status] = await once(child, "close");
  return status === 0 ? figures : undefined;
}

/**
 * Installs the libraries that the kit is measured beside, unless they are there, and checks the types of the programs that use them. They
 * have a lockfile of their own, so that the workspace installs none of them.
 */
function installPeers(): void {
  const stamp = join(peers, "node_modules", ".doorcode-installed");
  const wanted = readFileSync(join(peers, "package-lock.json"), "utf8");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
    print("Installing the other libraries …");
    run("npm", "ci", "--prefix", peers, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error");
    writeFileSync(stamp, wanted);
  }
  run("tsc", "-p", peers);
}

await runScript(() => bench(process.argv.slice(2)));
