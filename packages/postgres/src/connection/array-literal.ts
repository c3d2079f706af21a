/** A column of one statement's rows. */
type Column = readonly (string | number | boolean | null | undefined)[];

/**
 * Writes a column as the text of an array of PostgreSQL. `pg` does the same, and takes a tenth of a statement's time for it: it looks
 * for quotation marks by a regular expression in each number and each digest, too.
 *
 * @see https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
 */
export function writeArray(column: Column): string {
  let literal = "{";
  let separator = "";
  for (const element of column) {
    literal += separator + writeElement(element);
    separator = ",";
  }
  return `${literal}}`;
}

function writeElement(element: Column[number]): string {
  if (element === null || element === undefined) return "NULL";
  return typeof element === "string" ? `"${escapeText(element)}"` : String(element);
}

function escapeText(text: string): string {
  const withoutBackslashes = text.includes("\\") ? text.replace(/\\/g, "\\\\") : text;
  return withoutBackslashes.includes('"') ? withoutBackslashes.replace(/"/g, '\\"') : withoutBackslashes;
}
