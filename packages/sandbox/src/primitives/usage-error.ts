import type { z } from "zod";

/** A call with an invalid argument: a `TypeError` for a program, 422 `request.invalid` with the field over HTTP. */
export class UsageError extends TypeError {
  /** Path of the invalid member, such as `action.status`; empty for the whole argument. */
  readonly field: string;
  /** The expected value, in words. */
  readonly expected: string;

  constructor(caller: string, field: string, expected: string) {
    super(`${caller}: ${field || "options"}: ${expected}`);
    this.field = field;
    this.expected = expected;
  }
}

/** The keys of these members are phone numbers, which must not appear in an error. */
const keyedByPhone: ReadonlySet<PropertyKey> = new Set(["behaviours", "codes"]);

/**
 * Formats the path of a validation issue as the specification does: `channels[0].content.text`. It is empty for the whole
 * value. For an unknown member it is the path of that member. Phone numbers are left out.
 */
export function issueField(issue: z.core.$ZodIssue | undefined): string {
  const path = [...(issue?.path ?? []), ...(issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [])];
  const end = path.findIndex((key) => keyedByPhone.has(key));
  return (end === -1 ? path : path.slice(0, end + 1))
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}

/**
 * Parses the argument of a function: a program's value, or the body of a request.
 *
 * @param caller - name of the function, for the error.
 * @throws UsageError with the first invalid member and the expected value
 */
export function parse<Value>(caller: string, shape: z.ZodType<Value>, value: unknown): Value {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(caller, issueField(issue), issue?.message ?? "expected another value");
}
