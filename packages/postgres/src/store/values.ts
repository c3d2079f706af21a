import { checkSeconds, checkTexts } from "@doorcode/core/store";
import { createBatches } from "../connection/batches.ts";
import type { Runner, Statement } from "../connection/run-statement.ts";
import type { Table } from "../table/table.ts";
import { fromColumn, readKey, toColumn, toKey } from "../table/text.ts";

/** Reads live values; `undefined` where there is none. */
type GetValues = (keys: readonly string[]) => Promise<readonly (string | undefined)[]>;

/** Creates the function that reads. Values that are asked for at once are read by one statement. */
export function createGetValues({ runBefore, startDeadline }: Runner, { name }: Table): GetValues {
  const text = `SELECT ${readKey("key_digest")} AS key, value FROM ${name}
WHERE key_digest = ANY($1::uuid[]) AND value IS NOT NULL AND expires_at > clock_timestamp()`;
  const read = createBatches<ReadCall, readonly (string | undefined)[]>({
    startDeadline,
    async carryOut(calls, deadline) {
      const keys = new Set(calls.flatMap((call) => call.keys));
      const rows = await runBefore(deadline, { text, values: [[...keys]] });
      const values = new Map(rows.map((row) => [row.key, row.value]));
      return calls.map((call) => call.keys.map((key) => readValue(values.get(key))));
    },
  });
  return async (keys) => {
    checkTexts(...keys);
    return keys.length === 0 ? [] : read({ keys: keys.map(toKey), writtenKeys: [] });
  };
}

interface ReadCall {
  readonly keys: readonly string[];
  readonly writtenKeys: readonly [];
}

/** Reads the column of a value, which may be empty. */
export function readValue(column: string | null | undefined): string | undefined {
  return column === null || column === undefined ? undefined : fromColumn(column);
}

/** Writes a value over any earlier one, or deletes the entry. */
type PutValue = (key: string, value: string | undefined, ttlSeconds: number) => Promise<void>;

/** A value as its column has it. */
interface WriteCall {
  readonly writtenKeys: readonly [string];
  readonly column: string;
  readonly ttlSeconds: number;
}

/** Creates the function that puts. Values that are put at once are written by one statement. */
export function createPutValue({ run, runBefore, startDeadline }: Runner, table: Table): PutValue {
  const text = writeValues(table);
  const write = createBatches<WriteCall, void>({
    startDeadline,
    async carryOut(calls, deadline) {
      await runBefore(deadline, { text, values: columnsOf(calls) });
      return [];
    },
  });
  return async (key, value, ttlSeconds) => {
    checkTexts(key, value);
    checkSeconds(ttlSeconds);
    if (value === undefined) await run(remove(table, key));
    else await write({ writtenKeys: [toKey(key)], column: toColumn(value), ttlSeconds });
  };
}

function remove({ name }: Table, key: string): Statement {
  return { text: `DELETE FROM ${name} WHERE key_digest = $1::uuid`, values: [toKey(key)] };
}

/** Writes the text that puts. Rows are locked in the order of their keys, so that two statements never wait for each other. */
function writeValues({ name }: Table): string {
  return `INSERT INTO ${name} (key_digest, value, expires_at)
SELECT key, value, clock_timestamp() + seconds * interval '1 second'
FROM unnest($1::uuid[], $2::text[], $3::float8[]) AS put (key, value, seconds) ORDER BY key
ON CONFLICT (key_digest) DO UPDATE SET value = excluded.value, count = 0, granted = NULL, holder = NULL, leased_until = NULL,
  expires_at = excluded.expires_at`;
}

function columnsOf(calls: readonly WriteCall[]): readonly unknown[] {
  return [
    calls.map(({ writtenKeys: [key] }) => key),
    calls.map(({ column }) => column),
    calls.map(({ ttlSeconds }) => ttlSeconds),
  ];
}
