import { hash } from "node:crypto";

/**
 * A `text` of PostgreSQL cannot hold U+0000, which is refused, or half of a surrogate pair, which would be read back as
 * U+FFFD. A text that contains them, or that begins with this mark, is stored as the mark and its JSON, which escapes both.
 */
const mark = "\u0001";

/** Encodes any text for a column of PostgreSQL. */
export function toColumn(text: string): string {
  const fits = text.isWellFormed() && !text.includes("\0") && !text.startsWith(mark);
  return fits ? text : mark + JSON.stringify(text);
}

/** Decodes a text that {@link toColumn} encoded. */
export function fromColumn(stored: string): string {
  return stored.startsWith(mark) ? String(JSON.parse(stored.slice(mark.length))) : stored;
}

/**
 * Encodes a key for the primary key of the store: the first 128 bits of its SHA-256, as hexadecimal digits.
 *
 * A pending login is six rows, and five of them are counters, whose key was most of the row and of the index. As a `uuid` it takes 16
 * bytes, and two keys with one digest would take 2^64 attempts to find. The text is encoded first, because a migration makes digests of
 * the keys that a table has.
 */
export function toKey(key: string): string {
  return hash("sha256", toColumn(key), "hex").slice(0, 32);
}

/** Writes the expression that reads a primary key as {@link toKey} returns it: as a text, a `uuid` has hyphens. */
export function readKey(column: string): string {
  return `encode(uuid_send(${column}), 'hex')`;
}
