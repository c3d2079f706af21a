import { z } from "zod";
import { type Clock, systemClock } from "./clock.ts";
import type { SecretService } from "./secrets.ts";

/**
 * Parses options that a developer wrote, so that a wrong one stops the program immediately.
 *
 * @param place - the function that takes the options.
 * @throws TypeError naming the option, the expectation and, where the shape has one, the fix. Never the value, which may be a secret.
 */
export function parseOptions<Shape extends z.ZodType>(place: string, shape: Shape, options: unknown): z.output<Shape> {
  const parsed = shape.safeParse(options);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  // A misspelled name comes first: without it, the option that is missing would look as if it were wrong.
  const issue = innermost(issues.find(isUnknown) ?? issues[0]);
  const path = issue.path?.map(String).join(".") || (isUnknown(issue) ? undefined : "options");
  throw new TypeError(`${path === undefined ? place : `${place}: ${path}`}: ${issue.message}.`);
}

type Issue = Partial<z.core.$ZodIssue>;

function isUnknown({ code }: Issue): boolean {
  return code === "unrecognized_keys";
}

/** An option of several forms is wrong as a whole, unless one form knows the place inside: `mode.block` instead of `mode`. */
function innermost(issue: Issue = {}): Issue {
  if (issue.code !== "invalid_union") return issue;
  const inside = issue.errors?.flat().find((each) => isUnknown(each) || each.path.length > 0);
  return inside ? innermost({ ...inside, path: [...(issue.path ?? []), ...inside.path] }) : issue;
}

/** Creates the shape of options. It rejects unknown names. A caller who passed no object is shown the `example`. */
export function strictOptions<Shape extends z.ZodRawShape>(
  shape: Shape,
  example?: string,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? unknownOptions(issue.keys, Object.keys(shape))
        : `expected an object${example === undefined ? "" : ` such as ${example}`}`,
  });
}

/** Creates the shape of an option that is a function. */
export function functionOption(expected = "expected a function"): z.ZodType {
  return z.custom((value) => typeof value === "function", expected);
}

/** Creates the shape of an option that is an object with these methods, such as a store or a pool. */
export function objectOption<Value>(methods: readonly string[], expected: string): z.ZodType<Value, Value> {
  return z.custom<Value>().superRefine((value: unknown, context) => {
    const isObject = (typeof value === "object" || typeof value === "function") && value !== null;
    const missing = isObject ? methods.find((name) => typeof Reflect.get(value, name) !== "function") : undefined;
    if (isObject && missing === undefined) return;
    const message = missing === undefined ? expected : `${expected}; this value has no ${missing}()`;
    context.addIssue({ code: "custom", message });
  });
}

const expectedName = "expected up to 32 small letters, digits, - and _";

/** The shape of the option `name`, the prefix of an app's cookies and keys. */
export const nameOption: z.ZodType<string, string | undefined> = z
  .string(expectedName)
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, expectedName)
  .default("doorcode");

/** The shape of the option `clock`. Default: the machine's clock. */
export const clockOption: z.ZodType<Clock, Clock | undefined> = objectOption<Clock>(
  ["now", "schedule"],
  "expected a Clock with now() and schedule(), such as createManualClock(); leave it out for the machine's clock",
  // zod copies a default object, and a copy would not be recognized as the machine's clock.
).default(() => systemClock);

/** The shape of the option `service` of a function that does not call the service. It may be the whole option of `createDoorcode`. */
export const secretServiceOption: z.ZodType<SecretService | undefined, SecretService | undefined> = z
  .custom<SecretService>(
    (value) => typeof value === "object" && value !== null,
    "expected { baseUrl: process.env.SERVICE_URL }",
  )
  .optional();

/** Creates the shape of an option that is a whole number within these bounds. */
export function wholeNumberOption(min: number, max: number): z.ZodType<number, number> {
  const expected = `expected a whole number from ${min} to ${max}`;
  return z.int(expected).min(min, expected).max(max, expected);
}

/** Creates the shape of an option that is a number of seconds within these bounds; fractions count. */
export function secondsOption(min: number, max: number): z.ZodType<number, number> {
  const expected = `expected seconds from ${min} to ${max}`;
  return z.number(expected).min(min, expected).max(max, expected);
}

function unknownOptions(unknown: readonly string[], names: readonly string[]): string {
  return `unknown option ${unknown.join(", ")}; the options are ${names.join(", ")}`;
}
