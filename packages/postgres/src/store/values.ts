import { checkSeconds, checkTexts } from "@doorcode/core/store";
import type { RunStatement, Statement } from "../connection/run-statement.ts";
import type { Table } from "../table/table.ts";
import { fromColumn, toColumn, toKey } from "../table/text.ts";

/** Reads live values. A key that is listed several times is read once. */
export async function getValues(
  run: RunStatement,
  table: Table,
  keys: readonly string[],
): Promise<readonly (string | undefined)[]> {
  checkTexts(...keys);
  const asked = keys.map(toKey);
  if (asked.length === 0) return [];
  const rows = await run({
    text: `SELECT key, value FROM ${table.name}
WHERE key = ANY($1::text[]) AND value IS NOT NULL AND expires_at > clock_timestamp()`,
    values: [[...new Set(asked)]],
  });
  const values = new Map(rows.map((row) => [row.key, row.value]));
  return asked.map((key) => readValue(values.get(key)));
}

/** Reads the column of a value, which may be empty. */
export function readValue(column: string | null | undefined): string | undefined {
  return column === null || column === undefined ? undefined : fromColumn(column);
}

/** Writes a value over any earlier one, or deletes the entry. */
export async function putValue(
  run: RunStatement,
  table: Table,
  key: string,
  value: string | undefined,
  ttlSeconds: number,
): Promise<void> {
  checkTexts(key, value);
  checkSeconds(ttlSeconds);
  await run(value === undefined ? remove(table, key) : write(table, key, value, ttlSeconds));
}

function remove({ name }: Table, key: string): Statement {
  return { text: `DELETE FROM ${name} WHERE key = $1::text`, values: [toKey(key)] };
}

function write({ name }: Table, key: string, value: string, ttlSeconds: number): Statement {
  return {
    text: `INSERT INTO ${name} (key, value, expires_at)
VALUES ($1::text, $2::text, clock_timestamp() + $3::float8 * interval '1 second')
ON CONFLICT (key) DO UPDATE SET value = excluded.value, count = 0, granted = NULL, holder = NULL, leased_until = NULL,
  expires_at = clock_timestamp() + $3::float8 * interval '1 second'`,
    values: [toKey(key), toColumn(value), ttlSeconds],
  };
}
