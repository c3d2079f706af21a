import type { DatabaseSync } from "node:sqlite";
import { statements } from "./schema.ts";

/** An entry of the store: a value, a counter, or both, and perhaps its lease. Instants are Unix milliseconds. */
export interface Entry {
  readonly value: string | undefined;
  readonly count: number;
  /** The token of the last holder. */
  readonly holder: string | undefined;
  readonly leasedUntil: number;
  readonly expiresAt: number;
}

/** The entries of a file. Call them inside a transaction. */
export interface Entries {
  /** Returns a live entry. */
  find(key: string, now: number): Entry | undefined;
  /** Adds or replaces an entry, and removes a few that have expired. */
  write(key: string, entry: Entry, now: number): void;
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
    write(key, { value, count, holder, leasedUntil, expiresAt }, now) {
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
