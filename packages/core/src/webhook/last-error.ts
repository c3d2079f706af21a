import { createRedaction } from "../service/redact.ts";
import type { LastError } from "./inbox.ts";

const { clean } = createRedaction([]);

/** More is not even looked at: the line is short, and what is thrown may hold megabytes. */
const longestRead = 2000;

/**
 * Describes what a handler threw, for its dead letter: the name, the `code` if there is one, and one line of at most 200
 * characters in which no run of four digits is left, but for a code as databases have them. Neither stack nor cause is
 * kept. Never throws.
 *
 * What else an app writes into the message of an error is there to be read: it should be no secret.
 */
export function describeError(thrown: unknown): LastError {
  const name = typeof thrown;
  if (typeof thrown !== "object") return { name, code: undefined, message: cleanText(thrown) };
  const code = read(thrown, "code");
  return {
    // By its members: an error of another realm, such as a test runner's or a `vm` context's, is no `instanceof Error`.
    name: cleanText(read(thrown, "name")) || name,
    code: typeof code === "string" ? cleanCode(code) : undefined,
    message: cleanText(read(thrown, "message")),
  };
}

/** Anything can be thrown, also what throws when it is looked at. */
function read(thrown: object | null, member: string): unknown {
  try {
    return thrown === null ? undefined : Reflect.get(thrown, member);
  } catch {
    return undefined;
  }
}

/** As databases name errors: some are five digits, which are nobody's number. */
const sqlState = /^[0-9A-Z]{5}$/;

function cleanCode(code: string): string {
  return sqlState.test(code) ? code : cleanText(code);
}

/** An app can write anything into an error. Cut within a pair of surrogates, a text could not be kept as JSON by PostgreSQL. */
function cleanText(text: unknown): string {
  return typeof text === "string" ? clean(text.slice(0, longestRead)).toWellFormed() : "";
}
