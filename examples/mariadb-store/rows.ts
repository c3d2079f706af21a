import { hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { EntryRule, StoreEntry } from "@doorcode/core/store";
import type { PoolConnection, ResultSetHeader, RowDataPacket } from "mysql2/promise";

/** The table: run it once. `id` is the SHA-256 of a key, `entry` is JSON, and instants are Unix milliseconds. */
export const createTable = `CREATE TABLE IF NOT EXISTS doorcode_entries (
  id BINARY(32) PRIMARY KEY, entry LONGBLOB, expires_at BIGINT NOT NULL, INDEX (expires_at)
) ENGINE = InnoDB`;

/** The instant of a statement, on the clock that all apps share. */
const now = "ROUND(@@timestamp * 1000)";

const idOf = (key: string) => hash("sha256", key, "buffer");
const readEntry = ({ entry }: RowDataPacket): StoreEntry => JSON.parse(String(entry));

/** Reads the live entries of keys, in their order. */
export async function readEntries(
  connection: PoolConnection,
  keys: readonly string[],
): Promise<readonly (StoreEntry | undefined)[]> {
  if (keys.length === 0) return [];
  const ids = keys.map(idOf);
  const select = `SELECT id, entry FROM doorcode_entries WHERE id IN (?) AND expires_at > ${now}`;
  const [rows] = await connection.query<RowDataPacket[]>(select, [ids]);
  const entries = new Map(rows.map((row) => [row.id.toString("hex"), readEntry(row)]));
  return ids.map((id) => entries.get(id.toString("hex")));
}

/** Decides about the entry of a key, and writes the decision, in one transaction that holds its row. */
export async function changeEntry<Answer>(
  connection: PoolConnection,
  key: string,
  rule: EntryRule<Answer>,
): Promise<Answer> {
  const id = idOf(key);
  const update = "UPDATE doorcode_entries SET entry = ?, expires_at = ? WHERE id = ?";
  for (;;) {
    try {
      await connection.beginTransaction();
      const row = await lockRow(connection, id);
      const found = row.expires_at > row.now ? readEntry(row) : undefined;
      const { answer, next } = rule(found, row.now);
      const entry = next && Buffer.from(JSON.stringify(next));
      if (next !== found) await connection.query(update, [entry, next?.expiresAt ?? row.now, id]);
      await (next === found ? connection.rollback() : connection.commit());
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
