import { hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { PoolConnection, ResultSetHeader, RowDataPacket } from "mysql2/promise";

/** The table: run it once. `id` is the SHA-256 of a key, `entry` is JSON, and instants are Unix milliseconds. */
export const createTable = `CREATE TABLE IF NOT EXISTS doorcode_entries (
  id BINARY(32) PRIMARY KEY, entry LONGBLOB, expires_at BIGINT NOT NULL, INDEX (expires_at)
) ENGINE = InnoDB`;

/** What a key has: a value, a counter, a lease, or several of them. It is absent once it has expired. */
export interface Entry {
  readonly value?: string | undefined;
  readonly count: number;
  readonly holder?: string | undefined;
  readonly leasedUntil: number;
  readonly expiresAt: number;
}

/** The entry of a key that has nothing. */
export function absent(now: number): Entry {
  return { count: 0, leasedUntil: 0, expiresAt: now };
}

/** Decides about an entry: the answer to the caller, and what to write, if anything. */
export type Decide<Answer> = (found: Entry, now: number) => { readonly answer: Answer; readonly entry?: Entry };

/** The instant of a statement, on the clock that all apps share. */
const now = "ROUND(@@timestamp * 1000)";

const idOf = (key: string) => hash("sha256", key, "buffer");
const readEntry = ({ entry }: RowDataPacket): Entry => JSON.parse(String(entry));

/** Reads the live entries of keys, in their order. */
export async function readEntries(
  connection: PoolConnection,
  keys: readonly string[],
): Promise<readonly (Entry | undefined)[]> {
  if (keys.length === 0) return [];
  const ids = keys.map(idOf);
  const select = `SELECT id, entry FROM doorcode_entries WHERE id IN (?) AND expires_at > ${now}`;
  const [rows] = await connection.query<RowDataPacket[]>(select, [ids]);
  const entries = new Map(rows.map((row) => [row.id.toString("hex"), readEntry(row)]));
  return ids.map((id) => entries.get(id.toString("hex")));
}

/** Decides about an entry, and writes what was decided, in one transaction that holds its row. */
export async function changeEntry<Answer>(
  connection: PoolConnection,
  key: string,
  decide: Decide<Answer>,
): Promise<Answer> {
  const id = idOf(key);
  const update = "UPDATE doorcode_entries SET entry = ?, expires_at = ? WHERE id = ?";
  for (;;) {
    try {
      await connection.beginTransaction();
      const row = await lockRow(connection, id);
      const { answer, entry } = decide(row.expires_at > row.now ? readEntry(row) : absent(row.now), row.now);
      if (entry) await connection.query(update, [Buffer.from(JSON.stringify(entry)), entry.expiresAt, id]);
      await (entry ? connection.commit() : connection.rollback());
      return answer;
    } catch (error) {
      // MariaDB has rolled the transaction back, and asks for a repetition.
      if (!(error instanceof Error && "code" in error && error.code === "ER_LOCK_DEADLOCK")) throw error;
      await pause(Math.random() * 50);
    }
  }
}

/**
 * Locks a row until the end of the transaction. An absent key gets one that has expired, so that there is a row to
 * lock.
 */
async function lockRow(connection: PoolConnection, id: Buffer): Promise<RowDataPacket> {
  const insert = "INSERT INTO doorcode_entries (id, expires_at) VALUES (?, 0) ON DUPLICATE KEY UPDATE id = id";
  await connection.query(insert, [id]);
  const select = `SELECT entry, expires_at, ${now} AS now FROM doorcode_entries WHERE id = ? FOR UPDATE`;
  const [[row]] = await connection.query<RowDataPacket[]>(select, [id]);
  if (!row) throw new Error("MariaDB lost a row that this transaction holds.");
  return row;
}

/** Removes at most `max` expired entries, and resolves to their number. */
export async function removeExpired(connection: PoolConnection, max: number): Promise<number> {
  const remove = `DELETE FROM doorcode_entries WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ?`;
  const [{ affectedRows }] = await connection.query<ResultSetHeader>(remove, [max]);
  return affectedRows;
}
