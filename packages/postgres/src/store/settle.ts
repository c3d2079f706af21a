import { checkSeconds, checkTexts } from "@doorcode/core/store";
import type { ClientBase } from "pg";
import type { Statement } from "./run-statement.ts";
import type { Table } from "./table.ts";
import { toColumn, toKey } from "./text.ts";

/** How to settle. */
export interface SettleOptions {
  readonly ttlSeconds: number;
  /** The lease goes on. */
  readonly hold?: boolean;
  /**
   * A client of yours inside a transaction: the entry changes when that commits, and stays as it is when it rolls back.
   * Settle last and commit at once, since whoever asks for the key waits for the end of the transaction.
   */
  readonly client?: ClientBase;
}

/** Writes the statement that settles; it answers a row when it did. */
export function settleKey(
  { name }: Table,
  key: string,
  token: string,
  value: string | undefined,
  { ttlSeconds, hold = false }: SettleOptions,
): Statement {
  checkTexts(key, token, value);
  checkSeconds(ttlSeconds);
  const held = "key = $1::text AND holder = $2::text AND expires_at > clock_timestamp()";
  const whose = [toKey(key), toColumn(token)];
  if (value === undefined && !hold) {
    return { text: `DELETE FROM ${name} WHERE ${held} RETURNING 'settled' AS outcome`, values: whose };
  }
  return {
    text: `UPDATE ${name} SET value = $3::text, expires_at = clock_timestamp() + $4::float8 * interval '1 second',
  holder = CASE WHEN $5::boolean THEN holder END, leased_until = CASE WHEN $5::boolean THEN leased_until END
WHERE ${held} RETURNING 'settled' AS outcome`,
    values: [...whose, value === undefined ? null : toColumn(value), ttlSeconds, hold],
  };
}
