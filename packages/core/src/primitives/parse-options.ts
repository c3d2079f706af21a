import { z } from "zod";
import type { Clock } from "./clock.ts";

/**
 * Parses options that a developer wrote, so that a wrong one stops the program at once.
 *
 * @param place - the function that takes the options.
 * @throws TypeError naming the option, the expectation and, where the shape has one, the fix. Never the value, which may
 * be a secret.
 */
export function parseOptions<Shape extends z.ZodType>(place: string, shape: Shape, options: unknown): z.output<Shape> {
  const parsed = shape.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const option = issue?.path.map(String).join(".") || "options";
  throw new TypeError(`${place}: ${option}: ${issue?.message}.`);
}

/**
 * Creates the shape of options. It rejects unknown names, which may be misspelled.
 *
 * @param example - options as a developer writes them, for a caller who passed something else.
 */
export function strictOptions<Shape extends z.ZodRawShape>(
  shape: Shape,
  example?: string,
): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `unknown option ${issue.keys.join(", ")}; the options are ${names}`
        : `expected an object${example === undefined ? "" : ` such as ${example}`}`,
  });
}

/** Creates the shape of an option that is a function. */
export function functionOption(expected = "expected a function"): z.ZodType {
  return z.custom((value) => typeof value === "function", expected);
}

/** Creates the shape of an option that is an object with these methods, such as a store or a pool. */
export function objectOption<Value>(methods: readonly string[], expected: string): z.ZodType<Value, Value> {
  return z.custom<Value>().superRefine((value, context) => {
    const isObject = (typeof value === "object" || typeof value === "function") && value !== null;
    const missing = isObject && methods.find((name) => typeof Reflect.get(value, name) !== "function");
    if (isObject && missing === undefined) return;
    context.addIssue({ code: "custom", path: missing ? [missing] : [], message: expected });
  });
}

/** The shape of the option `clock`. */
export const clockOption: z.ZodType<Clock, Clock> = objectOption<Clock>(
  ["now", "schedule"],
  "expected a Clock with now() and schedule(), such as createManualClock(); leave it out for the machine's clock",
);

/** Creates the shape of an option that is a whole number within these bounds. */
export function wholeNumberOption(min: number, max: number): z.ZodInt {
  const expected = `expected a whole number from ${min} to ${max}`;
  return z.int(expected).min(min, expected).max(max, expected);
}

/** Creates the shape of an option that is a number of seconds within these bounds; fractions count. */
export function secondsOption(min: number, max: number): z.ZodNumber {
  const expected = `expected seconds from ${min} to ${max}`;
  return z.number(expected).min(min, expected).max(max, expected);
}
