import { createNumberColumn } from "./number-column.ts";

/** Finds records by a text of each, without keeping the texts. */
export interface HashIndex {
  /** Adds a record. Its number is the number of records that were added before. */
  add(key: string): void;
  /** Iterates over the records with this key, the newest first. A few with another key may be among them. */
  newestFirst(key: string): Iterable<number>;
}

/** Creates an empty index: 12 bytes for each record. */
export function createHashIndex(): HashIndex {
  const hashes = createNumberColumn();
  // A link is the number of a record plus 1; 0 is the end.
  const links = createNumberColumn();
  let newest = new Uint32Array(16);
  let count = 0;
  const bucketOf = (hash: number) => hash & (newest.length - 1);
  const link = (record: number) => {
    const bucket = bucketOf(hashes.get(record));
    links.set(record, newest[bucket] ?? 0);
    newest[bucket] = record + 1;
  };
  const grow = () => {
    newest = new Uint32Array(newest.length * 2);
    for (let record = 0; record < count; record++) link(record);
  };

  return {
    add(key) {
      if (count === newest.length) grow();
      hashes.set(count, hashOf(key));
      link(count++);
    },
    *newestFirst(key) {
      const hash = hashOf(key);
      for (let next = newest[bucketOf(hash)] ?? 0; next !== 0; next = links.get(next - 1)) {
        if (hashes.get(next - 1) === hash) yield next - 1;
      }
    },
  };
}

/** FNV-1a, of 32 bits. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
