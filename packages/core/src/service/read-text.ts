/**
 * Reads the text, or the whole number as text, at a path of an unknown body, such as `errors.0.code`.
 *
 * @returns an empty text when anything else stands there, or nothing.
 */
export function readText(body: unknown, path: string): string {
  let found = body;
  for (const name of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return "";
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  // Identifiers may be numbers; beyond 2^53 they have lost digits in parsing, and name nothing.
  if (Number.isSafeInteger(found)) return String(found);
  return typeof found === "string" ? found : "";
}
