import { createRedaction } from "./redact.ts";

/** The summary of an error: its name, its `code` and one short line. */
export interface ErrorSummary {
  readonly name: string;
  readonly code: string | undefined;
  readonly message: string;
}

const { clean } = createRedaction([]);

/** A thrown text may hold megabytes; only its beginning is read, because the summary is short. */
const maxReadCharacters = 2000;

/**
 * Summarizes a thrown value: its name, its `code` if there is one, and one line of at most 200 characters without any run
 * of four digits. A database's error code may keep its digits. Stack and cause are dropped. Never throws.
 *
 * The rest of the message is kept as the app wrote it, so an app should put no secret into it.
 */
export function summarizeError(thrown: unknown): ErrorSummary {
  const name = typeof thrown;
  if (typeof thrown !== "object") return { name, code: undefined, message: cleanText(thrown) };
  const code = read(thrown, "code");
  return {
    // Read by member: an error of another realm, such as a `vm` context, is not an `instanceof Error`.
    name: cleanText(read(thrown, "name")) || name,
    code: typeof code === "string" ? cleanCode(code) : undefined,
    message: cleanText(read(thrown, "message")),
  };
}

/** Reads a member of a thrown value, which may throw when it is read. */
function read(thrown: object | null, member: string): unknown {
  try {
    return thrown === null ? undefined : Reflect.get(thrown, member);
  } catch {
    return undefined;
  }
}

/** Databases name errors by five characters. If all five are digits, they are still no phone number. */
const sqlState = /^[0-9A-Z]{5}$/;

function cleanCode(code: string): string {
  return sqlState.test(code) ? code : cleanText(code);
}

/** A text that was cut within a surrogate pair would not fit into JSON of PostgreSQL, so it is made well-formed. */
function cleanText(text: unknown): string {
  return typeof text === "string" ? clean(text.slice(0, maxReadCharacters)).toWellFormed() : "";
}
