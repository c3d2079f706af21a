import type { z } from "zod";

/**
 * Checks options that a developer wrote, and adds the defaults.
 *
 * @param functionName - the function that takes the options.
 * @param example - options as a developer writes them, for a caller who passed something else.
 * @throws TypeError that names the option, what was expected, and the fix. Never the value, which may be a secret.
 */
export function readOptions<Options>(
  functionName: string,
  schema: z.ZodType<Options>,
  options: unknown,
  example: string,
): Options {
  const { data, error } = schema.safeParse(options);
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  if (issue?.code === "unrecognized_keys") {
    throw new TypeError(`${functionName}: options: unknown option ${issue.keys.join(", ")}.`);
  }
  const [option] = issue?.path ?? [];
  if (option !== undefined) throw new TypeError(`${functionName}: ${String(option)}: ${issue?.message}.`);
  throw new TypeError(`${functionName}: options: expected an object such as ${example}.`);
}
