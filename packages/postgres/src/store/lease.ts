import { checkSeconds, checkTexts, type LeaseState } from "@doorcode/core/store";
import { createBatches } from "../connection/batches.ts";
import type { Row, Runner } from "../connection/run-statement.ts";
import type { Table } from "../table/table.ts";
import { readKey, toColumn, toKey } from "../table/text.ts";
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

/** A lease that is asked for, as its columns have it. */
interface LeaseCall extends LeaseOptions {
  readonly writtenKeys: readonly [string];
  readonly holder: string;
}

/**
 * Creates the function that takes and renews leases. Leases that are asked for at once are taken by one statement.
 *
 * The transaction of an app's handler may hold the row of one for seconds. The statement leaves such a row out, and its lease waits
 * by itself.
 */
export function createLeaseKey({ runBefore, startDeadline }: Runner, table: Table): LeaseKey {
  const [one, several] = [writeLease(table), writeLeases(table)];
  const lease = createBatches<LeaseCall, LeaseState>({
    startDeadline,
    async carryOut(calls, deadline) {
      const rows = await runBefore(deadline, { text: several, values: columnsOf(calls) });
      const byKey = new Map(rows.map((row) => [row.key, row]));
      return calls.map((call) => readState(call, byKey.get(call.writtenKeys[0])));
    },
    async carryOutAlone(call, deadline) {
      const { writtenKeys, holder, leaseSeconds, ttlSeconds } = call;
      const values = [...writtenKeys, holder, leaseSeconds, ttlSeconds];
      const [row] = await runBefore(deadline, { text: one, values });
      return readState(call, row) ?? { held: false, value: undefined };
    },
  });
  return async (key, token, { leaseSeconds, ttlSeconds }) => {
    checkTexts(key, token);
    checkSeconds(leaseSeconds, ttlSeconds);
    return lease({ writtenKeys: [toKey(key)], holder: toColumn(token), leaseSeconds, ttlSeconds });
  };
}

function readState({ holder }: LeaseCall, row: Row | undefined): LeaseState | undefined {
  return row && { held: row.holder === holder, value: readValue(row.value) };
}

function columnsOf(calls: readonly LeaseCall[]): readonly unknown[] {
  return [
    calls.map(({ writtenKeys: [key] }) => key),
    calls.map(({ holder }) => holder),
    calls.map(({ leaseSeconds }) => leaseSeconds),
    calls.map(({ ttlSeconds }) => ttlSeconds),
  ];
}

/** Writes the text that takes one lease, from the moment at which its row was free. */
function writeLease({ name }: Table): string {
  return `INSERT INTO ${name} AS entry (key_digest, holder, leased_until, expires_at)
VALUES ($1::uuid, $2::text, ${fromNow("$3::float8")}, ${fromNow("$4::float8")})
${grant("now + $3::float8 * interval '1 second'", "now + $4::float8 * interval '1 second'")}`;
}

/**
 * Writes the text that takes several leases. It returns no row for a key that another transaction holds, and never waits for one
 * that runs the code of an app.
 */
function writeLeases({ name }: Table): string {
  return `WITH free AS MATERIALIZED (
  SELECT key_digest FROM ${name} WHERE key_digest = ANY($1::uuid[]) FOR UPDATE SKIP LOCKED
)
INSERT INTO ${name} AS entry (key_digest, holder, leased_until, expires_at)
SELECT key, holder, ${fromNow("lease")}, ${fromNow("ttl")}
FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::float8[]) AS asked (key, holder, lease, ttl)
WHERE key IN (SELECT key_digest FROM free) OR NOT EXISTS (SELECT FROM ${name} AS found WHERE found.key_digest = asked.key)
ORDER BY key
${grant("excluded.leased_until", "excluded.expires_at")}`;
}

const fromNow = (seconds: string) => `clock_timestamp() + ${seconds} * interval '1 second'`;

/**
 * Writes the part that decides about a row that exists.
 *
 * A refusal writes the row as it was: `ON CONFLICT … WHERE` would return no row at all, and a `SELECT` in the same statement
 * would see the table as it was before the statement waited for the row.
 */
function grant(leasedUntil: string, expiresAt: string): string {
  return `ON CONFLICT (key_digest) DO UPDATE SET (value, count, granted, holder, leased_until, expires_at) = (
  SELECT CASE WHEN live THEN entry.value END, CASE WHEN live THEN entry.count ELSE 0 END,
    CASE WHEN live THEN entry.granted END,
    CASE WHEN free THEN excluded.holder ELSE entry.holder END,
    CASE WHEN free THEN ${leasedUntil} ELSE entry.leased_until END,
    CASE WHEN free THEN ${expiresAt} ELSE entry.expires_at END
  FROM (SELECT clock_timestamp() AS now) AS clock,
    LATERAL (SELECT entry.expires_at > now AS live) AS life,
    LATERAL (SELECT NOT live OR entry.holder IS NULL OR entry.holder = excluded.holder
      OR entry.leased_until <= now AS free) AS lease)
RETURNING ${readKey("key_digest")} AS key, holder, value`;
}
