import type { DatabaseSync } from "node:sqlite";
import type { StoreEntry } from "@doorcode/core/store";
import { statements } from "./schema.ts";

/** The entries of a file. Call them inside a transaction. */
export interface Entries {
  /** Returns a live entry. */
  find(key: string, now: number): StoreEntry | undefined;
  /** Adds or replaces an entry, and removes a few that have expired. */
  write(key: string, entry: StoreEntry, now: number): void;
  delete(key: string): void;
}

/** Each write removes so many expired entries, so that they stay a small part of the file and no write takes long. */
const sweptPerWrite = 4;

/** Prepares the statements of a file. */
export function createEntries(database: DatabaseSync): Entries {
  const read = database.prepare(statements.read);
  const write = database.prepare(statements.write);
  const remove = database.prepare(statements.delete);
  const sweep = database.prepare(statements.sweep);

  return {
    find(key, now) {
      const row = read.get(Buffer.from(key), now);
      return (
        row && {
          value: textOf(row.value),
          count: Number(row.count),
          holder: textOf(row.holder),
          leasedUntil: Number(row.leased_until),
          expiresAt: Number(row.expires_at),
        }
      );
    },
    write(key, { value, count = 0, holder, leasedUntil = 0, expiresAt }, now) {
      write.run(Buffer.from(key), bytesOf(value), count, bytesOf(holder), leasedUntil, expiresAt);
      sweep.run(now, sweptPerWrite);
    },
    delete: (key) => void remove.run(Buffer.from(key)),
  };
}

function bytesOf(text: string | undefined): Buffer | null {
  return text === undefined ? null : Buffer.from(text);
}

/** Reads a text that is kept as a BLOB. */
export function textOf(column: unknown): string | undefined {
  return column instanceof Uint8Array ? Buffer.from(column).toString() : undefined;
}
