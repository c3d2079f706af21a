import { type CounterChange, type CounterState, checkCounterChange } from "@doorcode/core/store";
import { createBatches } from "../connection/batches.ts";
import type { BatchedCall } from "../connection/row-queues.ts";
import type { Row, Runner, Statement } from "../connection/run-statement.ts";
import type { Table } from "../table/table.ts";
import { readKey, toKey } from "../table/text.ts";

/** Changes counters, and resolves to their states in the order of the list. */
type IncrementCounters = (changes: readonly CounterChange[]) => Promise<readonly CounterState[]>;

/** Changes of different keys, which one statement makes. */
interface Round extends BatchedCall {
  readonly changes: readonly Change[];
}

/** Creates the function that changes counters. Counters that are changed at once are changed by one statement. */
export function createIncrementCounters({ runBefore, startDeadline }: Runner, table: Table): IncrementCounters {
  const texts = textsFor(table);
  const changeRound = createBatches<Round, readonly CounterState[]>({
    startDeadline,
    async carryOut(calls, deadline) {
      const changes = calls.flatMap((call) => call.changes);
      const statement = changeCounters(texts, changes);
      const rows = await runBefore(deadline, statement);
      // One call may only read a counter that another one writes.
      const written = byKey(rows.filter(isWritten));
      const read = byKey(rows.filter((row) => !isWritten(row)));
      return calls.map((call) =>
        call.changes.map((change) => readAnswer(change, (writes(change) ? written : read).get(change.key))),
      );
    },
  });
  return async (changes) => {
    changes.forEach(checkCounterChange);
    const prepared = changes.map(prepare);
    const answers = new Map<Change, CounterState>();
    for (const round of rounds(prepared)) {
      const writtenKeys = round.filter(writes).map(({ key }) => key);
      const states = await changeRound({ changes: round, writtenKeys });
      round.forEach((change, index) => {
        answers.set(change, states[index] ?? unanswered());
      });
    }
    return prepared.map((change) => answers.get(change) ?? unanswered());
  };
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

/** Tells whether a change may write. By 0, or above its limit from the start, it only reads. */
function writes({ by, limit }: Change): boolean {
  return by < 0 || (by > 0 && by <= limit);
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

/** The texts of the statements, by what a batch contains. */
interface Texts {
  readonly write: string;
  readonly writeAndRead: string;
  readonly read: string;
}

/** Writes the texts. A login changes more counters than anything else, so they join nothing: what is written and what is only read are two lists. */
function textsFor(table: Table): Texts {
  const write = `WITH change AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::float8[], $4::float8[], $5::boolean[])
    AS change (key, by, max, ttl, renew)
), written AS (
${writeCounters(table)}
)
SELECT ${readKey("key_digest")} AS key, granted::text AS granted, count::text AS count, seconds FROM written`;
  return {
    write,
    writeAndRead: `${write} UNION ALL ${readCounters(table, 6)}`,
    read: readCounters(table, 1),
  };
}

/**
 * Returns the statement for changes of which no two write one counter. It returns no row for a counter that was only to be read,
 * and does not exist.
 */
function changeCounters(texts: Texts, changes: readonly Change[]): Statement {
  const [written, read] = [changes.filter(writes), changes.filter((change) => !writes(change))];
  const readKeys = [...new Set(read.map(({ key }) => key))];
  if (written.length === 0) return { text: texts.read, values: [readKeys] };
  const column = (member: keyof Change) => written.map((change) => change[member]);
  const values = [column("key"), column("by"), column("limit"), column("ttlSeconds"), column("renew")];
  if (read.length === 0) return { text: texts.write, values };
  return { text: texts.writeAndRead, values: [...values, readKeys] };
}

/** A counter at 0 does not exist, so it begins anew. The entry lives on with its lifetime if it is a value or a lease too. */
const exists = "(count > 0 OR value IS NOT NULL OR holder IS NOT NULL)";

const secondsLeft = "greatest(ceil(extract(epoch FROM expires_at - clock_timestamp())), 0)::text";

function readCounters({ name }: Table, parameter: number): string {
  return `SELECT ${readKey("key_digest")} AS key, NULL AS granted, count::text AS count, ${secondsLeft} AS seconds FROM ${name}
WHERE key_digest = ANY($${parameter}::uuid[]) AND expires_at > clock_timestamp() AND ${exists}`;
}

/**
 * Writes the part that changes counters.
 *
 * Rows are locked in the order of their keys, so that two lists never wait for each other. A refused change writes the row as it
 * was, with `granted` for `RETURNING`, which sees only written rows. Giving back to a counter that does not exist leaves a row
 * that has already expired.
 */
function writeCounters({ name }: Table): string {
  // The time is that after the wait for the row, and the same in every expression.
  const live = `(entry.expires_at > now AND (entry.count > 0 OR entry.value IS NOT NULL OR entry.holder IS NOT NULL))`;
  const stands = `(CASE WHEN ${live} THEN entry.count ELSE 0 END)`;
  const fits = `(${stands} + by <= max)`;
  return `  INSERT INTO ${name} AS entry (key_digest, count, granted, expires_at)
  SELECT key, greatest(by, 0), true, clock_timestamp() + CASE WHEN by > 0 THEN ttl ELSE 0 END * interval '1 second'
  FROM change ORDER BY key
  ON CONFLICT (key_digest) DO UPDATE SET (value, count, granted, holder, leased_until, expires_at) = (
    SELECT CASE WHEN ${live} THEN entry.value END,
      CASE WHEN ${fits} THEN greatest(${stands} + by, 0) ELSE ${stands} END,
      ${fits},
      CASE WHEN ${live} THEN entry.holder END, CASE WHEN ${live} THEN entry.leased_until END,
      CASE WHEN ${fits} AND (${live} AND renew OR NOT ${live} AND by > 0) THEN now + ttl * interval '1 second'
        ELSE entry.expires_at END
    FROM (SELECT by, max, ttl, renew, clock_timestamp() AS now FROM change WHERE change.key = excluded.key_digest) AS change)
  RETURNING key_digest, granted, count, CASE WHEN ${exists} THEN ${secondsLeft} ELSE '0' END AS seconds`;
}

function isWritten({ granted }: Row): boolean {
  return granted !== null;
}

function byKey(rows: readonly Row[]): ReadonlyMap<string | null | undefined, Row> {
  return new Map(rows.map((row) => [row.key, row]));
}

function readAnswer(change: Change, row: Row | undefined): CounterState {
  if (!row) return writes(change) ? unanswered() : { granted: change.by <= change.limit, count: 0, secondsLeft: 0 };
  const count = Number(row.count);
  const granted = writes(change) ? row.granted === "true" : count + change.by <= change.limit;
  return { granted, count, secondsLeft: Number(row.seconds) };
}

/** Throws, because the statement returns a row for every change, and an invented state would not be counted. */
function unanswered(): never {
  throw new Error("PostgreSQL returned no row for a change of a counter.");
}
