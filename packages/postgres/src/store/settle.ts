import { checkSeconds, checkTexts } from "@doorcode/core/store";
import type { ClientBase } from "pg";
import type { Statement } from "../connection/run-statement.ts";
import type { Table } from "../table/table.ts";
import { toColumn, toKey } from "../table/text.ts";

/** Options of a settlement. */
export interface SettleOptions {
  /** The lifetime of the entry from now on. */
  readonly ttlSeconds: number;
  /** Keeps the lease. */
  readonly hold?: boolean;
  /**
   * Your client inside a transaction: the entry changes when the transaction commits, and not if it rolls back. Settle last and
   * commit at once, because other callers that need the key wait for the end of the transaction.
   */
  readonly client?: ClientBase;
}

/** Writes the statement that settles. It returns a row when it settled. */
export function settleKey(
  { name }: Table,
  key: string,
  token: string,
  value: string | undefined,
  { ttlSeconds, hold = false }: SettleOptions,
): Statement {
  checkTexts(key, token, value);
  checkSeconds(ttlSeconds);
  const isHeld = "key = $1::text AND holder = $2::text AND expires_at > clock_timestamp()";
  const lease = [toKey(key), toColumn(token)];
  if (value === undefined && !hold) {
    return { text: `DELETE FROM ${name} WHERE ${isHeld} RETURNING 'settled' AS outcome`, values: lease };
  }
  return {
    text: `UPDATE ${name} SET value = $3::text, expires_at = clock_timestamp() + $4::float8 * interval '1 second',
  holder = CASE WHEN $5::boolean THEN holder END, leased_until = CASE WHEN $5::boolean THEN leased_until END
WHERE ${isHeld} RETURNING 'settled' AS outcome`,
    values: [...lease, value === undefined ? null : toColumn(value), ttlSeconds, hold],
  };
}
