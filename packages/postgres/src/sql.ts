/**
 * The instant of a statement, on the clock of the database. All expressions of one statement agree on it, also after a wait for a row, and
 * within the transaction of an app it moves on with each statement.
 */
export const now = "statement_timestamp()";

/** Writes the instant that is so many seconds from now. */
export function fromNow(seconds: string): string {
  return `${now} + ${seconds}::float8 * interval '1 second'`;
}

/**
 * Writes the expression that reads a column of bytes. Texts are stored as bytes, because a `text` of PostgreSQL cannot hold U+0000, and
 * what else it can hold depends on the encoding of the database.
 */
export function readBytes(column: string): string {
  return `encode(${column}, 'hex')`;
}

/** Reads a text that {@link readBytes} has selected. */
export function textOf(bytes: string): string {
  return Buffer.from(bytes, "hex").toString();
}

/** Writes the name of a table with its schema. Names of options need no escaping. */
export function nameOf(schema: string | undefined, table: string): string {
  return schema === undefined ? `"${table}"` : `"${schema}"."${table}"`;
}
