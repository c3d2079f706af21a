import { createHash } from "node:crypto";

/**
 * PostgreSQL keeps neither U+0000 nor half of a surrogate pair in a `text`: the one is refused, the other would come back
 * as U+FFFD. A text that has them, or begins with this mark itself, is kept as the mark and its JSON, which escapes both.
 */
const mark = "\u0001";

/** An entry of a B-tree has at most 2,704 bytes; keys beyond this are kept as their SHA-256. */
const maxKeyBytes = 1024;

/** Writes any text so that a column of PostgreSQL can hold it. */
export function toColumn(text: string): string {
  const fits = text.isWellFormed() && !text.includes("\0") && !text.startsWith(mark);
  return fits ? text : mark + JSON.stringify(text);
}

/** Reads what {@link toColumn} wrote. */
export function fromColumn(stored: string): string {
  return stored.startsWith(mark) ? String(JSON.parse(stored.slice(mark.length))) : stored;
}

/** Writes a key so that the primary key can hold it; no two keys become one, and ordinary ones stay readable. */
export function toKey(key: string): string {
  const text = toColumn(key);
  if (Buffer.byteLength(text) <= maxKeyBytes) return text;
  return `${mark}sha256 ${createHash("sha256").update(text).digest("hex")}`;
}
