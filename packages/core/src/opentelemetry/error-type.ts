import { summarizeError } from "../util/error-summary.ts";
import { isDoorcodeError } from "../util/errors.ts";

/**
 * Returns the type of an error as OpenTelemetry's `error.type`: the code of the kit's own errors, else the name. A name that is no
 * plain word may hold anything, so it becomes `_OTHER`.
 */
export function errorTypeOf(error: unknown): string {
  if (isDoorcodeError(error)) return error.code;
  const { name } = summarizeError(error);
  return /^[A-Za-z]{1,64}$/.test(name) ? name : "_OTHER";
}
