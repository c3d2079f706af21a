import { type CounterChange, type CounterState, checkCounterChange } from "@doorcode/core/store";
import type { RunStatement } from "../connection/run-statement.ts";
import { now } from "../sql.ts";
import { digestOf } from "./entries.ts";

/** Changes counters, and resolves to their states in the order of the list. */
export async function increment(
  run: RunStatement,
  table: string,
  changes: readonly CounterChange[],
): Promise<readonly CounterState[]> {
  changes.forEach(checkCounterChange);
  const states: CounterState[] = [];
  for (const part of splitAtRepeatedKeys(changes)) states.push(...(await changeAndRead(run, table, part)));
  return states;
}

/**
 * Changes counters of different keys, and then reads those whose change is 0. A statement sees the table as it was when the statement
 * began, and may then wait for a row. If one statement did both and a group was closed meanwhile, it would find its balance at zero and not
 * see that it is closed. With two, a change that fits may be followed by the sight of a group that was closed a moment later: such a code
 * is refused too.
 */
async function changeAndRead(
  run: RunStatement,
  table: string,
  part: readonly CounterChange[],
): Promise<readonly CounterState[]> {
  const changed = part.filter(({ by }) => by !== 0);
  const read = part.filter(({ by }) => by === 0);
  const states = [...(await changeCounters(run, table, changed)), ...(await changeCounters(run, table, read))];
  const found = new Map([...changed, ...read].map(({ key }, index) => [key, states[index]]));
  return part.flatMap(({ key }) => found.get(key) ?? []);
}

/** Splits a list, because one statement can write a row only once. Each key comes once in each part. */
function splitAtRepeatedKeys(changes: readonly CounterChange[]): readonly (readonly CounterChange[])[] {
  const parts: CounterChange[][] = [];
  let keys = new Set<string>();
  for (const change of changes) {
    if (parts.length === 0 || keys.has(change.key)) {
      parts.push([]);
      keys = new Set();
    }
    parts.at(-1)?.push(change);
    keys.add(change.key);
  }
  return parts;
}

/** A larger number of JavaScript is not exact. */
const maxCount = Number.MAX_SAFE_INTEGER;

/**
 * Changes counters of different keys. The rows are locked in the order of their keys, so that two lists never deadlock. A refused change
 * writes the row as it was, with `granted` for `RETURNING`, which sees only rows that were written. A change that can only be refused, and
 * one by 0, writes nothing. A counter that is subtracted down to 0, or created by subtracting, ends, unless its entry is a value or a lease
 * too. Its entry then expired in 1970: to a statement that began before, and waited for the row, one that expires now would be live, and
 * what it adds would be lost.
 */
async function changeCounters(
  run: RunStatement,
  table: string,
  changes: readonly CounterChange[],
): Promise<readonly CounterState[]> {
  if (changes.length === 0) return [];
  const rows = await run(
    `WITH change AS (
  SELECT *, by <> 0 AND by <= max AS writes, ttl * interval '1 second' AS lifetime
  FROM unnest($1::bytea[], $2::bigint[], $3::float8[], $4::float8[], $5::boolean[])
    WITH ORDINALITY AS change (key, by, max, ttl, renew, place)
), written AS (
  INSERT INTO ${table} AS entry (key, count, granted, expires_at)
  SELECT key, greatest(by, 0), true, CASE WHEN by > 0 THEN ${now} + lifetime ELSE 'epoch' END
  FROM change WHERE writes ORDER BY key
  ON CONFLICT (key) DO UPDATE SET (value, holder, leased_until, granted, count, expires_at) = (
    SELECT live_value, live_holder, CASE WHEN live THEN entry.leased_until END, fits, after,
      CASE WHEN after = 0 AND live_value IS NULL AND live_holder IS NULL THEN 'epoch'
        WHEN fits AND (renew OR NOT live) THEN ${now} + lifetime
        ELSE entry.expires_at END
    FROM change,
      LATERAL (SELECT entry.expires_at > ${now} AS live) AS lives,
      LATERAL (SELECT CASE WHEN live THEN entry.value END AS live_value,
        CASE WHEN live THEN entry.holder END AS live_holder,
        CASE WHEN live THEN entry.count ELSE 0 END AS before) AS found,
      LATERAL (SELECT before + by <= max AS fits) AS limited,
      LATERAL (SELECT CASE WHEN fits THEN greatest(before + by, 0) ELSE before END AS after) AS changed
    WHERE change.key = excluded.key)
  RETURNING key, granted, count, expires_at
), read AS (
  SELECT change.key, coalesce(count, 0) + by <= max AS granted, coalesce(count, 0) AS count,
    coalesce(expires_at, ${now}) AS expires_at
  FROM change LEFT JOIN ${table} AS entry ON entry.key = change.key AND expires_at > ${now}
  WHERE NOT writes
)
SELECT granted::text, count::text, greatest(0, ceil(extract(epoch FROM expires_at - ${now})))::text AS seconds
FROM (TABLE written UNION ALL TABLE read) AS state JOIN change USING (key) ORDER BY place`,
    [
      changes.map(({ key }) => digestOf(key)),
      changes.map(({ by }) => by),
      changes.map(({ limit = maxCount }) => Math.min(limit, maxCount)),
      changes.map(({ ttlSeconds }) => ttlSeconds),
      changes.map(({ renew = false }) => renew),
    ],
  );
  return rows.map(({ granted, count, seconds }) => ({
    granted: granted === "true",
    count: Number(count),
    secondsLeft: Number(seconds),
  }));
}
