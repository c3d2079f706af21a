/**
 * Reads a text, or a whole number as text, at a path of an unknown body, such as `errors.0.code`.
 *
 * @returns the text; an empty one if the path holds anything else or nothing.
 */
export function readText(body: unknown, path: string): string {
  let found = body;
  for (const name of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return "";
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  // An id may be a number. Beyond 2^53 it has lost digits in parsing, so it identifies nothing.
  if (Number.isSafeInteger(found)) return String(found);
  return typeof found === "string" ? found : "";
}
