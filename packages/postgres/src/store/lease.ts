import { checkSeconds, checkTexts, type LeaseState } from "@doorcode/core/store";
import type { RunStatement } from "../connection/run-statement.ts";
import type { Table } from "../table/table.ts";
import { toColumn, toKey } from "../table/text.ts";
import { readValue } from "./values.ts";

/** The lifetimes of a lease and of its entry. */
interface LeaseOptions {
  /** The time until the lease ends without a renewal. */
  readonly leaseSeconds: number;
  /** The lifetime of the entry. */
  readonly ttlSeconds: number;
}

/** Takes or renews a lease. */
type LeaseKey = (key: string, token: string, options: LeaseOptions) => Promise<LeaseState>;

/**
 * Creates the function that takes and renews leases.
 *
 * Each is a statement of its own: the transaction of an app's handler may hold the row of one for seconds, and leases of other
 * rows must not wait for it.
 */
export function createLeaseKey(run: RunStatement, table: Table): LeaseKey {
  const text = writeLease(table);
  return async (key, token, { leaseSeconds, ttlSeconds }) => {
    checkTexts(key, token);
    checkSeconds(leaseSeconds, ttlSeconds);
    const [row] = await run({ text, values: [toKey(key), toColumn(token), leaseSeconds, ttlSeconds] });
    return { held: row?.held === "true", value: readValue(row?.value) };
  };
}

/**
 * Writes the text that leases.
 *
 * A refusal writes the row as it was: `ON CONFLICT … WHERE` would return no row at all, and a `SELECT` in the same statement
 * would see the table as it was before the statement waited for the row.
 */
function writeLease({ name }: Table): string {
  return `INSERT INTO ${name} AS entry (key, holder, leased_until, expires_at)
VALUES ($1::text, $2::text, clock_timestamp() + $3::float8 * interval '1 second',
  clock_timestamp() + $4::float8 * interval '1 second')
ON CONFLICT (key) DO UPDATE SET (value, count, granted, holder, leased_until, expires_at) = (
  SELECT CASE WHEN live THEN entry.value END, CASE WHEN live THEN entry.count ELSE 0 END,
    CASE WHEN live THEN entry.granted END,
    CASE WHEN free THEN excluded.holder ELSE entry.holder END,
    CASE WHEN free THEN now + $3::float8 * interval '1 second' ELSE entry.leased_until END,
    CASE WHEN free THEN now + $4::float8 * interval '1 second' ELSE entry.expires_at END
  FROM (SELECT clock_timestamp() AS now) AS clock,
    LATERAL (SELECT entry.expires_at > now AS live) AS life,
    LATERAL (SELECT NOT live OR entry.holder IS NULL OR entry.holder = excluded.holder
      OR entry.leased_until <= now AS free) AS lease)
RETURNING (holder = $2::text)::text AS held, value`;
}
