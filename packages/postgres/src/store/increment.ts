import { type CounterChange, type CounterState, checkCounterChange } from "@doorcode/core/store";
import type { Row, RunStatement, Statement } from "../connection/run-statement.ts";
import type { Table } from "../table/table.ts";
import { toKey } from "../table/text.ts";

/** Changes counters, and resolves to their states in the order of the list. */
export async function incrementCounters(
  run: RunStatement,
  table: Table,
  changes: readonly CounterChange[],
): Promise<readonly CounterState[]> {
  changes.forEach(checkCounterChange);
  const prepared = changes.map(prepare);
  const answers = new Map<Change, CounterState>();
  for (const round of rounds(prepared)) {
    const rows = await run(changeCounters(table, round));
    for (const row of rows) {
      const change = round[Number(row.place)];
      if (change) answers.set(change, readAnswer(row));
    }
  }
  return prepared.map((change) => answers.get(change) ?? unanswered());
}

/** Above it, a number of JavaScript is no longer exact. */
const maxCount = Number.MAX_SAFE_INTEGER;

/** One change, as parameters of the statement. */
interface Change {
  readonly key: string;
  readonly by: number;
  readonly limit: number;
  readonly ttlSeconds: number;
  readonly renew: boolean;
}

function prepare({ key, by, limit = maxCount, ttlSeconds, renew = false }: CounterChange): Change {
  return { key: toKey(key), by, limit: Math.min(limit, maxCount), ttlSeconds, renew };
}

/** Divides changes into rounds, because one statement can change a row only once. A key that comes again goes into the next round. */
function rounds(changes: readonly Change[]): Change[][] {
  const found: Change[][] = [];
  const seen = new Map<string, number>();
  for (const change of changes) {
    const round = seen.get(change.key) ?? 0;
    seen.set(change.key, round + 1);
    found[round] ??= [];
    found[round].push(change);
  }
  return found;
}

/**
 * Writes the statement for changes of different keys.
 *
 * Rows are locked in the order of their keys, so that two lists never wait for each other. A change that cannot change
 * anything, by 0 or above its limit from the start, only reads. A refused change writes the row as it was, with `granted`
 * for `RETURNING`, which sees only written rows. Giving back to a counter that does not exist leaves a row that has already
 * expired.
 */
function changeCounters({ name }: Table, changes: readonly Change[]): Statement {
  const column = (member: keyof Change) => changes.map((change) => change[member]);
  return {
    text: `WITH change AS MATERIALIZED (
  SELECT *, by <> 0 AND (by < 0 OR by <= max) AS writes
  FROM unnest($1::text[], $2::bigint[], $3::float8[], $4::float8[], $5::boolean[])
    WITH ORDINALITY AS change (key, by, max, ttl, renew, place)
), written AS (
  INSERT INTO ${name} AS entry (key, count, granted, expires_at)
  SELECT key, greatest(by, 0), by <= max,
    clock_timestamp() + CASE WHEN by > 0 THEN ttl ELSE 0 END * interval '1 second'
  FROM change WHERE writes ORDER BY key COLLATE "C"
  ON CONFLICT (key) DO UPDATE SET (value, count, granted, holder, leased_until, expires_at) = (
    SELECT CASE WHEN live THEN entry.value END,
      CASE WHEN fits THEN greatest(stands + by, 0) ELSE stands END,
      fits,
      CASE WHEN live THEN entry.holder END, CASE WHEN live THEN entry.leased_until END,
      CASE WHEN fits AND (live AND renew OR NOT live AND by > 0) THEN now + ttl * interval '1 second'
        ELSE entry.expires_at END
    FROM change, (SELECT clock_timestamp() AS now) AS clock,
      LATERAL (SELECT entry.expires_at > now AS live) AS life,
      LATERAL (SELECT CASE WHEN live THEN entry.count ELSE 0 END AS stands) AS before,
      LATERAL (SELECT stands + by <= max AS fits) AS verdict
    WHERE change.key = excluded.key)
  RETURNING key, count, granted, expires_at
)
SELECT (change.place - 1)::text AS place,
  coalesce(written.granted, coalesce(entry.count, 0) + change.by <= change.max)::text AS granted,
  coalesce(written.count, entry.count, 0)::text AS count,
  greatest(ceil(extract(epoch FROM coalesce(written.expires_at, entry.expires_at) - clock_timestamp())), 0)::text AS seconds
FROM change LEFT JOIN written ON written.key = change.key
LEFT JOIN ${name} AS entry ON entry.key = change.key AND NOT change.writes AND entry.expires_at > clock_timestamp()`,
    values: [column("key"), column("by"), column("limit"), column("ttlSeconds"), column("renew")],
  };
}

function readAnswer({ granted, count, seconds }: Row): CounterState {
  return { granted: granted === "true", count: Number(count), secondsLeft: Number(seconds) };
}

/** Throws, because the statement returns a row for every change, and an invented state would not be counted. */
function unanswered(): never {
  throw new Error("PostgreSQL returned no row for a change of a counter.");
}
