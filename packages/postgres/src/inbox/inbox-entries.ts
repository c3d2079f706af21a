import { randomUUID } from "node:crypto";
import {
  type DeadLetterEntry,
  type EntryOutcome,
  type ErrorSummary,
  type HeldEntry,
  type InboxCounts,
  type InboxEntry,
  maxSharedDeaths,
  openEntrySeconds,
  type WorkerRoom,
} from "@doorcode/core/inbox";
import type { Row, RunStatement } from "../connection/run-statement.ts";
import { fromNow, now, readBytes, textOf } from "../sql.ts";

/** The parts that the statements of an inbox work with. */
export interface EntriesDeps {
  readonly run: RunStatement;
  readonly table: string;
  readonly takeOverSeconds: number;
}

const openExpiry = fromNow(`${openEntrySeconds}`);

/** An expired row stays in the table until it is removed. */
const isLive = `expires_at > ${now}`;

/**
 * Adds an entry. A known key changes nothing: an open entry, a completed one that is still kept, or a dead letter. An expired row that was
 * not removed yet becomes the new entry.
 */
export async function addEntry({ run, table }: EntriesDeps, { key, body }: InboxEntry): Promise<void> {
  await run(
    `INSERT INTO ${table} AS entry (key, body, due_at, expires_at) VALUES ($1, $2, ${now}, ${openExpiry})
ON CONFLICT (key) DO UPDATE SET body = excluded.body, state = DEFAULT, due_at = excluded.due_at, holder = DEFAULT,
  failures = DEFAULT, deaths = DEFAULT, replayed = DEFAULT, error = DEFAULT, settled_at = DEFAULT,
  expires_at = excluded.expires_at
WHERE entry.expires_at <= ${now}`,
    [key, Buffer.from(body)],
  );
}

/** Takes entries, as `HeldEntries.take` promises. `SKIP LOCKED` lets any number of workers take different entries at the same time. */
export async function takeEntries(
  { run, table, takeOverSeconds }: EntriesDeps,
  { max, isIdle }: WorkerRoom,
): Promise<readonly HeldEntry[]> {
  const holder = randomUUID();
  const rows = await run(
    `WITH due AS (
  SELECT key, due_at, deaths + (holder IS NOT NULL)::integer AS deaths FROM ${table}
  WHERE state = 'open' AND due_at <= ${now} AND ${isLive} ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
), first AS (
  SELECT key FROM due ORDER BY due_at LIMIT 1
), first_alone AS (
  SELECT coalesce(min(due_at), 'infinity') AS due_at FROM due WHERE deaths >= ${maxSharedDeaths}
), taken AS (
  UPDATE ${table} AS entry SET holder = $2, deaths = due.deaths, due_at = ${fromNow("$3")}, expires_at = ${openExpiry}
  FROM due, first, first_alone
  WHERE entry.key = due.key AND (due.due_at < first_alone.due_at OR ($4 AND due.key = first.key))
  RETURNING due.due_at AS was_due_at, entry.*
)
SELECT key, ${readBytes("body")} AS body, failures::text, replayed::text, deaths::text FROM taken ORDER BY was_due_at`,
    [max, holder, takeOverSeconds, isIdle],
  );
  return rows.map(({ key, body, failures, replayed, deaths }) => ({
    entry: {
      key: key ?? "",
      body: textOf(body ?? ""),
      failures: Number(failures),
      replayed: replayed === "true",
      deaths: Number(deaths),
    },
    holder,
  }));
}

/** Extends the holds on entries that no other worker took over. */
export async function renewEntries(
  { run, table, takeOverSeconds }: EntriesDeps,
  held: readonly HeldEntry[],
): Promise<void> {
  await run(
    `UPDATE ${table} AS entry SET due_at = ${fromNow("$3")}
FROM unnest($1::text[], $2::text[]) AS held (key, holder) WHERE entry.key = held.key AND entry.holder = held.holder`,
    [held.map(({ entry }) => entry.key), held.map(({ holder }) => holder), takeOverSeconds],
  );
}

/** Stores the outcome of an entry. Resolves to false, and changes nothing, if another worker took the entry over. */
export async function settleEntry(
  { run, table }: EntriesDeps,
  { entry, holder }: HeldEntry,
  { state, dueSeconds, keepSeconds, failures, deaths, error }: EntryOutcome,
): Promise<boolean> {
  const settled = await run(
    `UPDATE ${table} SET holder = NULL, settled_at = ${now}, state = $3, due_at = ${fromNow("$4")},
  expires_at = ${fromNow("$5")}, failures = $6, deaths = $7, error = $8
WHERE key = $1 AND holder = $2 RETURNING 'settled'`,
    [entry.key, holder, state, dueSeconds, keepSeconds, failures, deaths, error && Buffer.from(JSON.stringify(error))],
  );
  return settled.length === 1;
}

/** Lists the dead letters, the newest first. */
export async function listDeadLetters({ run, table }: EntriesDeps, limit: number): Promise<DeadLetterEntry[]> {
  const rows = await run(`${selectDeadLetters(table)} ORDER BY settled_at DESC LIMIT $1`, [limit]);
  return rows.map(readDeadLetter);
}

/** Returns the dead letters among these keys. */
export async function findDeadLetters(
  { run, table }: EntriesDeps,
  keys: readonly string[],
): Promise<DeadLetterEntry[]> {
  const rows = await run(`${selectDeadLetters(table)} AND key = ANY ($1::text[])`, [keys]);
  return rows.map(readDeadLetter);
}

function selectDeadLetters(table: string): string {
  return `SELECT key, ${readBytes("body")} AS body, ${readBytes("error")} AS error,
  (extract(epoch FROM settled_at) * 1000)::bigint::text AS milliseconds
FROM ${table} WHERE state = 'dead' AND ${isLive}`;
}

function readDeadLetter({ key, body, error, milliseconds }: Row): DeadLetterEntry {
  const { name, code, message }: ErrorSummary = JSON.parse(textOf(error ?? ""));
  return {
    key: key ?? "",
    body: textOf(body ?? ""),
    error: { name, code, message },
    failedAtMilliseconds: Number(milliseconds),
  };
}

/** Removes a dead letter, and resolves to whether there was one. */
export async function discardEntry({ run, table }: EntriesDeps, key: string): Promise<boolean> {
  const discarded = await run(
    `DELETE FROM ${table} WHERE key = $1 AND state = 'dead' AND ${isLive} RETURNING 'discarded'`,
    [key],
  );
  return discarded.length === 1;
}

/** Counts the open entries and the dead letters. */
export async function countEntries({ run, table }: EntriesDeps): Promise<InboxCounts> {
  const [row] = await run(
    `SELECT (SELECT count(*) FROM ${table} WHERE state = 'open' AND ${isLive})::text AS open,
  (SELECT count(*) FROM ${table} WHERE state = 'dead' AND ${isLive})::text AS dead`,
    [],
  );
  return { open: Number(row?.open), dead: Number(row?.dead) };
}

/** Opens a dead letter or a handled entry again, and resolves to whether there was one. */
export async function replayEntry({ run, table }: EntriesDeps, key: string): Promise<boolean> {
  const replayed = await run(
    `UPDATE ${table} SET state = 'open', replayed = true, holder = NULL, error = NULL, failures = 0, deaths = 0,
  due_at = ${now}, expires_at = ${openExpiry}
WHERE key = $1 AND state <> 'open' AND ${isLive} RETURNING 'replayed'`,
    [key],
  );
  return replayed.length === 1;
}
