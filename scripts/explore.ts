import { parseArgs } from "node:util";
import type { Explored, Failure } from "../test/explore/explore.ts";
import { exploreAll } from "../test/explore/explore-all.ts";
import { mutations } from "../test/explore/mutations.ts";
import { CliError, cliErrorOf } from "./cli-error.ts";

const usage = `npm run explore -- [--schedules 100000] [--seed NUMBER] [--only TEXT] [--mutations]

Runs a login, a webhook and a session under a scheduler that chooses the order of all calls of the store, the service and the app,
and which of them fail, and checks the invariants after each schedule. --only explores the scenarios whose title has the text. The
same seed, number and text give the same schedules. --mutations shows that the invariants notice each change of a list, in sources
that are changed in memory only; --only then names changes.`;

/** Explores the scenarios, and prints what came of each. */
async function exploreScenarios({ schedules, seed, only }: ExploreOptions): Promise<void> {
  const begun = performance.now();
  const onExplored = (explored: Explored) => printExplored(explored, `--seed ${seed} --schedules ${schedules}`);
  const explored = await exploreAll({ schedules, seed, only, onExplored });
  if (explored.length === 0) throw new CliError(`No scenario has the text ${only}.\n\n${usage}`);
  const run = explored.reduce((sum, { systematic, random }) => sum + systematic + random, 0);
  const failed = explored.flatMap(({ failures }) => failures).length;
  print(`${run} schedules in ${secondsSince(begun)} s, ${failed} invariants are broken. Seed: ${seed}.`);
  if (failed > 0) process.exitCode = 1;
}

function printExplored({ scenario, systematic, random, isComplete, failures }: Explored, repeat: string): void {
  const listed = isComplete ? `all ${systematic} within the bound` : `${systematic} within the bound`;
  print(`${failures.length === 0 ? "holds " : "BROKEN"}  ${scenario} (${listed}, ${random} at random)`);
  for (const failure of failures) printFailure(failure, `npm run explore -- ${repeat} --only "${scenario}"`);
}

function printFailure({ invariant, how, found, schedule, trace }: Failure, repeat: string): void {
  const deviations = schedule.length === 1 ? "1 deviation" : `${schedule.length} deviations`;
  print(`        ${invariant}\n        ${how} Found by schedule ${found}, and by a smaller one with ${deviations}:`);
  for (const line of trace) print(`          ${line}`);
  print(`        Again: ${repeat}`);
}

/** Explores each mutation until an invariant is broken, few schedules of every scenario first. */
async function exploreMutations({ seed, only }: ExploreOptions): Promise<void> {
  print("| file | change | broken invariant | schedules |\n| --- | --- | --- | --- |");
  let unnoticed = 0;
  for (const mutation of mutations.filter(({ change }) => change.includes(only))) {
    let run = 0;
    let failure: Failure | undefined;
    for (const schedules of [3_000, 30_000]) {
      // One thread, so that the number of schedules is always the same.
      const explored = await exploreAll({ schedules, seed, mutation, endsWhenBroken: true, threads: 1 });
      failure = explored.flatMap(({ failures }) => failures)[0];
      run += explored.reduce((sum, { systematic, random }) => sum + systematic + random, 0);
      if (failure) break;
    }
    if (!failure) unnoticed++;
    print(`| ${mutation.file} | ${mutation.change} | ${failure?.invariant ?? "none"} | ${run} |`);
  }
  if (unnoticed > 0) process.exitCode = 1;
}

interface ExploreOptions {
  readonly schedules: number;
  readonly seed: number;
  readonly only: string;
  readonly mutations: boolean;
}

function readOptions(args: string[]): ExploreOptions {
  const text = { type: "string" } as const;
  const options = { schedules: text, seed: text, only: text, mutations: { type: "boolean" } } as const;
  try {
    const { schedules, seed, only = "", mutations = false } = parseArgs({ args, options }).values;
    return { schedules: number(schedules, 100_000), seed: number(seed, 1), only, mutations };
  } catch {
    throw new CliError(usage);
  }
}

function number(text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  if (!/^[0-9]{1,9}$/.test(text)) throw new CliError(usage);
  return Number(text);
}

function secondsSince(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(1);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  const options = readOptions(process.argv.slice(2));
  await (options.mutations ? exploreMutations(options) : exploreScenarios(options));
} catch (error) {
  const cliError = cliErrorOf(error);
  if (!cliError) throw error;
  process.stderr.write(`${cliError.message}\n`);
  process.exitCode = 1;
}
