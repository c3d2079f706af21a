import type { z } from "zod";

/** A call with something wrong in it: a `TypeError` to a program, 422 `request.invalid` with the field over HTTP. */
export class Misuse extends TypeError {
  /** The member that is wrong, as a path: `action.status`. Empty for the whole. */
  readonly field: string;
  /** What was expected. */
  readonly expected: string;

  constructor(act: string, field: string, expected: string) {
    super(`${act}: ${field || "options"}: ${expected}`);
    this.field = field;
    this.expected = expected;
  }
}

/** Keys of these are phone numbers, which belong in no error. */
const keyedByPhone: ReadonlySet<PropertyKey> = new Set(["behaviours", "codes"]);

/** Where an issue is; a member that is unknown is named itself. */
export function pathOf(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  return issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : issue.path;
}

/**
 * Reads what a program, or a request, gives an act.
 *
 * @param act - what was called, for the error.
 * @throws Misuse naming the first member that is wrong and what was expected
 */
export function parse<Value>(act: string, shape: z.ZodType<Value>, value: unknown): Value {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue ? pathOf(issue) : [];
  const end = path.findIndex((key) => keyedByPhone.has(key));
  const shown = end === -1 ? path : path.slice(0, end + 1);
  throw new Misuse(act, shown.join("."), issue?.message ?? "expected something else");
}
