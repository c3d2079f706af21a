import { createHash } from "node:crypto";

/**
 * A `text` of PostgreSQL cannot hold U+0000, which is refused, or half of a surrogate pair, which would be read back as
 * U+FFFD. A text that contains them, or that begins with this mark, is stored as the mark and its JSON, which escapes both.
 */
const mark = "\u0001";

/** An entry of a B-tree has at most 2,704 bytes. Longer keys are stored as their SHA-256. */
const maxKeyBytes = 1024;

/** Encodes any text for a column of PostgreSQL. */
export function toColumn(text: string): string {
  const fits = text.isWellFormed() && !text.includes("\0") && !text.startsWith(mark);
  return fits ? text : mark + JSON.stringify(text);
}

/** Decodes a text that {@link toColumn} encoded. */
export function fromColumn(stored: string): string {
  return stored.startsWith(mark) ? String(JSON.parse(stored.slice(mark.length))) : stored;
}

/** Encodes a key for the primary key. No two keys become one, and ordinary keys stay readable. */
export function toKey(key: string): string {
  const text = toColumn(key);
  if (Buffer.byteLength(text) <= maxKeyBytes) return text;
  return `${mark}sha256 ${createHash("sha256").update(text).digest("hex")}`;
}
