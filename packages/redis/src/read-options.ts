import type { z } from "zod";

/**
 * Checks options that a developer wrote, and adds the defaults.
 *
 * @param place - the function that takes the options.
 * @param example - options as a developer writes them, for a caller who passed something else.
 * @throws TypeError naming the option, what was expected and the fix. Never the value, which may be a secret.
 */
export function readOptions<Schema extends z.ZodObject>(
  place: string,
  schema: Schema,
  options: unknown,
  example: string,
): z.output<Schema> {
  const result = schema.safeParse(options);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new TypeError(`${place}: ${issue && problemOf(issue, schema, example)}.`);
}

function problemOf(issue: z.core.$ZodIssue, schema: z.ZodObject, example: string): string {
  if (issue.code === "unrecognized_keys") {
    const names = Object.keys(schema.shape).join(", ");
    return `options: unknown option ${issue.keys.join(", ")}; the options are ${names}`;
  }
  const [option] = issue.path;
  return option === undefined
    ? `options: expected an object such as ${example}`
    : `${String(option)}: ${issue.message}`;
}
