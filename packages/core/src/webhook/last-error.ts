import { createRedaction } from "../service/redact.ts";
import type { LastError } from "./inbox.ts";

const { clean } = createRedaction([]);

/**
 * Describes what a handler threw, for its dead letter: the name, the `code` if there is one, and one line of at most 200
 * characters in which no run of four digits is left. Neither stack nor cause is kept.
 *
 * What else an app writes into the message of an error is there to be read: it should be no secret.
 */
export function describeError(thrown: unknown): LastError {
  if (!(thrown instanceof Error)) return { name: typeof thrown, code: undefined, message: cleanText(thrown) };
  const code = "code" in thrown && typeof thrown.code === "string" ? clean(thrown.code) : undefined;
  return { name: cleanText(thrown.name), code, message: cleanText(thrown.message) };
}

/** Anything can be thrown, and an app can write anything into an error. */
function cleanText(text: unknown): string {
  return typeof text === "string" ? clean(text) : "";
}
