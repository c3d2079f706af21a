import { hash } from "node:crypto";
import { checkSeconds, checkTexts, type LeaseState } from "@doorcode/core/store";
import type { ClientBase } from "pg";
import { type RunStatement, runOnClient } from "../connection/run-statement.ts";
import { fromNow, now, readBytes, textOf } from "../sql.ts";

/** Encodes a key for the primary key of the table: a key of 4,096 bytes is too long for an index of PostgreSQL. */
export function digestOf(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

/** Reads live values in the order of the keys. */
export async function get(
  run: RunStatement,
  table: string,
  keys: readonly string[],
): Promise<readonly (string | undefined)[]> {
  checkTexts(...keys);
  if (keys.length === 0) return [];
  const rows = await run(
    `SELECT ${readBytes("value")} AS value
FROM unnest($1::bytea[]) WITH ORDINALITY AS given (key, place)
LEFT JOIN ${table} AS entry ON entry.key = given.key AND expires_at > ${now}
ORDER BY place`,
    [keys.map(digestOf)],
  );
  return rows.map(({ value }) => readValue(value));
}

/** Writes a value over anything that the key has, or deletes the entry. */
export async function put(
  run: RunStatement,
  table: string,
  key: string,
  value: string | undefined,
  ttlSeconds: number,
): Promise<void> {
  checkTexts(key, value);
  checkSeconds(ttlSeconds);
  if (value === undefined) {
    await run(`DELETE FROM ${table} WHERE key = $1`, [digestOf(key)]);
    return;
  }
  await run(
    `INSERT INTO ${table} (key, value, expires_at) VALUES ($1, $2, ${fromNow("$3")})
ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at,
  count = 0, holder = NULL, leased_until = NULL`,
    [digestOf(key), Buffer.from(value), ttlSeconds],
  );
}

/**
 * Takes or renews a lease. A refusal writes the row as it was. `ON CONFLICT … WHERE` would return no row for it, and a `SELECT` beside it
 * would read the table as it was before the statement waited for the row.
 */
export async function lease(
  run: RunStatement,
  table: string,
  key: string,
  token: string,
  { leaseSeconds, ttlSeconds }: { readonly leaseSeconds: number; readonly ttlSeconds: number },
): Promise<LeaseState> {
  checkTexts(key, token);
  checkSeconds(leaseSeconds, ttlSeconds);
  const isLive = `entry.expires_at > ${now}`;
  const isFree = `(entry.expires_at <= ${now} OR entry.holder IS NULL OR entry.holder = excluded.holder
    OR entry.leased_until <= ${now})`;
  const [row] = await run(
    `INSERT INTO ${table} AS entry (key, holder, leased_until, expires_at)
VALUES ($1, $2, ${fromNow("$3")}, ${fromNow("$4")})
ON CONFLICT (key) DO UPDATE SET
  value = CASE WHEN ${isLive} THEN entry.value END,
  count = CASE WHEN ${isLive} THEN entry.count ELSE 0 END,
  holder = CASE WHEN ${isFree} THEN excluded.holder ELSE entry.holder END,
  leased_until = CASE WHEN ${isFree} THEN excluded.leased_until ELSE entry.leased_until END,
  expires_at = CASE WHEN ${isFree} THEN excluded.expires_at ELSE entry.expires_at END
RETURNING (holder = $2)::text AS held, ${readBytes("value")} AS value`,
    [digestOf(key), Buffer.from(token), leaseSeconds, ttlSeconds],
  );
  return { held: row?.held === "true", value: readValue(row?.value) };
}

/** Options of a settlement. */
export interface SettleOptions {
  /** The lifetime of the entry from now on. */
  readonly ttlSeconds: number;
  /** Keeps the lease. */
  readonly hold?: boolean;
  /**
   * Your client inside a transaction: the entry changes when the transaction commits, and not if it rolls back. Settle
   * last and commit immediately, because other callers that need the key wait for the end of the transaction.
   */
  readonly client?: ClientBase;
}

/** Writes or deletes a value if the token is that of the last holder. */
export async function settle(
  run: RunStatement,
  table: string,
  key: string,
  token: string,
  value: string | undefined,
  { ttlSeconds, hold = false, client }: SettleOptions,
): Promise<boolean> {
  checkTexts(key, token, value);
  checkSeconds(ttlSeconds);
  const runHere: RunStatement = client ? (text, values) => runOnClient(client, text, values) : run;
  const held = [digestOf(key), Buffer.from(token)];
  const isHeld = `key = $1 AND holder = $2 AND expires_at > ${now}`;
  if (value === undefined && !hold) {
    const deleted = await runHere(`DELETE FROM ${table} WHERE ${isHeld} RETURNING 'deleted'`, held);
    return deleted.length === 1;
  }
  const written = await runHere(
    `UPDATE ${table} SET value = $3, expires_at = ${fromNow("$4")},
  holder = CASE WHEN $5 THEN holder END, leased_until = CASE WHEN $5 THEN leased_until END
WHERE ${isHeld} RETURNING 'written'`,
    [...held, value === undefined ? null : Buffer.from(value), ttlSeconds, hold],
  );
  return written.length === 1;
}

/** Reads the column of a value, which may be an empty text. */
function readValue(column: string | null | undefined): string | undefined {
  return column === null || column === undefined ? undefined : textOf(column);
}
