import { parseArgs } from "node:util";
import { findSteepGrowth } from "../packages/core/test/properties/growth.ts";
import { parserProperties } from "../packages/core/test/properties/parsers.ts";
import { CliError, cliErrorOf } from "./cli-error.ts";

const usage = `npm run fuzz -- [--inputs 1000000] [--seed NUMBER] [--seconds 600] [PARSER …]

Checks each property of each parser that meets the network on a million random inputs, for at most ten minutes each, and
that no parser needs more time than the length of its input justifies; with fewer than 10,000 inputs no time is measured.
Parsers: ${Object.keys(parserProperties).join(", ")}.`;

/** Runs the named parsers' properties, by default all of them. */
async function fuzz(words: readonly string[]): Promise<void> {
  const { inputs, seed, seconds, parsers } = readOptions(words);
  print(`seed ${seed}`);
  let checked = 0;
  let failed = 0;
  for (const parser of parsers) {
    for (const { title, check } of parserProperties[parser] ?? []) {
      const begun = performance.now();
      const result = await check({ inputs, seed, maxMilliseconds: seconds * 1000 });
      const taken = `${result.inputs} inputs, ${((performance.now() - begun) / 1000).toFixed(1)} s`;
      print(`${result.failure === undefined ? "holds" : "BROKEN"}  ${parser}: ${title} (${taken})`);
      if (result.failure !== undefined) print(result.failure);
      checked++;
      if (result.failure !== undefined) failed++;
    }
  }
  const steep = inputs < 10_000 ? [] : await findSteepGrowth(parsers);
  for (const { parser, beginning, piece, milliseconds } of steep) {
    const times = milliseconds.map((time) => time.toFixed(2)).join(" ms, then ");
    print(`SLOW    ${parser}: ${JSON.stringify(beginning)} and many ${JSON.stringify(piece)}: ${times} ms`);
  }
  print(`${checked - failed} properties hold, ${failed} are broken; ${steep.length} inputs are slow. Seed: ${seed}.`);
  if (failed + steep.length > 0) process.exitCode = 1;
}

interface FuzzOptions {
  readonly inputs: number;
  readonly seed: number;
  readonly seconds: number;
  readonly parsers: readonly string[];
}

function readOptions(words: readonly string[]): FuzzOptions {
  const { values, positionals } = parse(words);
  const unknown = positionals.find((parser) => !Object.hasOwn(parserProperties, parser));
  if (unknown !== undefined) throw new CliError(`There is no parser ${unknown}.\n\n${usage}`);
  return {
    inputs: wholeNumber("--inputs", values.inputs) ?? 1_000_000,
    seed: wholeNumber("--seed", values.seed) ?? Math.floor(Math.random() * 2 ** 31),
    seconds: wholeNumber("--seconds", values.seconds) ?? 600,
    parsers: positionals.length > 0 ? positionals : Object.keys(parserProperties),
  };
}

function parse(words: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args: [...words],
      options: { inputs: text, seed: text, seconds: text },
      allowPositionals: true,
    });
  } catch {
    throw new CliError(usage);
  }
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[0-9]{1,10}$/.test(text)) throw new CliError(`${name} must be a whole number.\n\n${usage}`);
  return Number(text);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await fuzz(process.argv.slice(2));
} catch (error) {
  const cliError = cliErrorOf(error);
  if (!cliError) throw error;
  process.stderr.write(`${cliError.message}\n`);
  process.exitCode = 1;
}
