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
export type PutValue = (key: string, value: string | undefined, ttlSeconds: number) => Promise<void>;

/** Values that are written at once. */
interface Batch {
  /** Each value as its column has it, by its key. */
  readonly values: Map<string, { readonly column: string; readonly ttlSeconds: number }>;
  readonly written: Promise<unknown>;
}

/**
 * Creates the function that puts. Values that are put at once, in the same turn of the process, are one statement: each statement
 * waits for the disk.
 */
export function createPutValue(run: RunStatement, table: Table): PutValue {
  let open: Batch | undefined;

  function begin(): Batch {
    const values: Batch["values"] = new Map();
    const written = Promise.resolve().then(() => {
      if (open === batch) open = undefined;
      return run(write(table, values));
    });
    const batch = { values, written };
    open = batch;
    return batch;
  }

  return async (key, value, ttlSeconds) => {
    checkTexts(key, value);
    checkSeconds(ttlSeconds);
    if (value === undefined) {
      await run(remove(table, key));
      return;
    }
    // One statement can write a row only once.
    const batch = open && !open.values.has(toKey(key)) ? open : begin();
    batch.values.set(toKey(key), { column: toColumn(value), ttlSeconds });
    await batch.written;
  };
}

function remove({ name }: Table, key: string): Statement {
  return { text: `DELETE FROM ${name} WHERE key = $1::text`, values: [toKey(key)] };
}

/** Writes the statement that puts. Rows are locked in the order of their keys, so that two statements never wait for each other. */
function write({ name }: Table, values: Batch["values"]): Statement {
  const entries = [...values.values()];
  return {
    text: `INSERT INTO ${name} (key, value, expires_at)
SELECT key, value, clock_timestamp() + seconds * interval '1 second'
FROM unnest($1::text[], $2::text[], $3::float8[]) AS put (key, value, seconds) ORDER BY key COLLATE "C"
ON CONFLICT (key) DO UPDATE SET value = excluded.value, count = 0, granted = NULL, holder = NULL, leased_until = NULL,
  expires_at = excluded.expires_at`,
    values: [[...values.keys()], entries.map(({ column }) => column), entries.map(({ ttlSeconds }) => ttlSeconds)],
  };
}
