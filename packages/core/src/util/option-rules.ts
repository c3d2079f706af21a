import type { Clock } from "./clock.ts";
import { nearestName } from "./nearest-name.ts";

/** The rule of one option: which values are right, and the value of an option that is left out. */
export interface OptionRule<Value> {
  /** Returns the expectation that a value does not meet, or `undefined` for a right one. */
  readonly refuse: (value: unknown) => string | undefined;
  /** The value of an option that is left out. Without this member the option is required. */
  readonly leftOut?: { readonly value: Value };
}

/** The rules of options, by name. */
export type OptionRules<Options> = { readonly [Name in keyof Options]: OptionRule<Options[Name]> };

/**
 * Creates the rule of an option.
 *
 * @param expected - the end of the error's sentence: `expected true or false`.
 */
export function optionRule<Value>(isRight: (value: unknown) => value is Value, expected: string): OptionRule<Value> {
  return { refuse: (value) => (isRight(value) ? undefined : expected) };
}

/** Makes a rule that of an option which may be left out. It then has this value, which is not checked. */
export function withDefault<Value, Default>(
  { refuse }: OptionRule<Value>,
  value: Default,
): OptionRule<Value | Default> {
  return { refuse, leftOut: { value } };
}

/** Creates the rule of an option that is an object with these methods, such as a store or a pool. */
export function methodsRule<Value>(methods: readonly string[], expected: string): OptionRule<Value> {
  return {
    refuse: (value) => {
      const isObject = (typeof value === "object" || typeof value === "function") && value !== null;
      const missing = isObject && methods.find((name) => typeof Reflect.get(value, name) !== "function");
      if (isObject && missing === undefined) return undefined;
      return missing ? `${expected}; this value has no ${missing}()` : expected;
    },
  };
}

/** The rule of the option `clock`. */
export const clockRule: OptionRule<Clock> = methodsRule(
  ["now", "schedule"],
  "expected a Clock with now() and schedule(), such as createManualClock(); leave it out for the machine's clock",
);

/** Creates the rule of an option that is a whole number within these bounds. */
export function wholeNumberRule(min: number, max: number): OptionRule<number> {
  const isRight = (value: unknown) => Number.isSafeInteger(value) && isBetween(min, max, value);
  return optionRule((value): value is number => isRight(value), `expected a whole number from ${min} to ${max}`);
}

/** Creates the rule of an option that is a number of seconds within these bounds; fractions count. */
export function secondsRule(min: number, max: number): OptionRule<number> {
  return optionRule((value): value is number => isBetween(min, max, value), `expected seconds from ${min} to ${max}`);
}

function isBetween(min: number, max: number, value: unknown): boolean {
  return typeof value === "number" && min <= value && value <= max;
}

/**
 * Checks options that a developer wrote, so that a wrong one stops the program at once, and adds the defaults. It rejects unknown
 * names, which may be misspelled.
 *
 * @param place - the function that takes the options.
 * @param example - options as a developer writes them, for a caller who passed something else.
 * @throws TypeError naming the option, the expectation and, where the rule has one, the fix. Never the value, which may be a
 * secret.
 */
export function readOptions<Options extends object>(
  place: string,
  rules: OptionRules<Options>,
  options: unknown,
  example?: string,
): Options {
  if (!isRecord(options)) throw new TypeError(`${place}: options: ${expectedOptions(example)}.`);
  const read: Partial<Options> = {};
  for (const name in rules) read[name] = readOption(place, name, rules[name], options[name]);
  const unknown = namesOf(options).filter((name) => !Object.hasOwn(rules, name));
  if (unknown.length > 0) throw new TypeError(`${place}: options: ${unknownOptions(unknown, Object.keys(rules))}.`);
  return read as Options;
}

function readOption<Value>(place: string, name: string, { refuse, leftOut }: OptionRule<Value>, value: unknown): Value {
  if (value === undefined && leftOut) return leftOut.value;
  const expected = refuse(value);
  if (expected !== undefined) throw new TypeError(`${place}: ${name}: ${expected}.`);
  return value as Value;
}

/** Returns the names of options, those that they inherit among them: these are read, too. */
function namesOf(options: object): readonly string[] {
  const names: string[] = [];
  for (const name in options) names.push(name);
  return names;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Says what to pass instead of something that has no options. */
export function expectedOptions(example: string | undefined): string {
  return `expected an object${example === undefined ? "" : ` such as ${example}`}`;
}

/** Says which names are unknown, and which are meant or exist. */
export function unknownOptions(unknown: readonly string[], names: readonly string[]): string {
  const meant = unknown.map((name) => nearestName(name, names)).filter((name) => name !== undefined);
  const listed = `options are ${names.join(", ")}`;
  const question = meant.length > 0 ? `did you mean ${meant.join(", ")}? The ${listed}` : `the ${listed}`;
  return `unknown option ${unknown.join(", ")}; ${question}`;
}
