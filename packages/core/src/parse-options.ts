import { z } from "zod";

/** Checks a function among options. */
export function callable(expected = "expected a function"): z.ZodType {
  return z.custom((value) => typeof value === "function", expected);
}

/**
 * Parses options that a developer wrote, so that a wrong one stops the program where it stands.
 *
 * @param place - the function whose options they are.
 * @throws TypeError naming the option, what was expected and, where the shape says one, the fix. Never the value: it
 * may be a secret.
 */
export function parseOptions<Shape extends z.ZodType>(place: string, shape: Shape, options: unknown): z.output<Shape> {
  const parsed = shape.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const option = issue?.path.map(String).join(".") || "options";
  throw new TypeError(`${place}: ${option}: ${issue?.message}.`);
}
