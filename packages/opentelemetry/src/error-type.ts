import { isDoorcodeError } from "@doorcode/core";

/**
 * Returns the `error.type` of an error: the kit's code, else the name. A name that is no plain word may hold anything, so it is `_OTHER`.
 */
export function errorTypeOf(error: unknown): string {
  if (isDoorcodeError(error)) return error.code;
  const name = nameOf(error);
  return /^[A-Za-z]{1,64}$/.test(name) ? name : "_OTHER";
}

function nameOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return typeof error;
  try {
    return String(Reflect.get(error, "name"));
  } catch {
    // A thrown object may throw when it is read.
    return "";
  }
}
