/**
 * Reads the text at a path of an unknown body, such as `errors.0.code`.
 *
 * @returns an empty text when anything else stands there, or nothing.
 */
export function readText(body: unknown, path: string): string {
  let found = body;
  for (const name of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return "";
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return typeof found === "string" ? found : "";
}
