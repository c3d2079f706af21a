import { randomUUID } from "node:crypto";
import type { DeadLetterEntry, ErrorSummary, TakenEntry } from "@doorcode/core/inbox";
import type { RunStatement } from "../connection/run-statement.ts";
import { fromColumn } from "../table/text.ts";
import { openSeconds, secondsFromNow } from "./entry-times.ts";
import type { CheckedInboxOptions } from "./inbox-options.ts";

/** The parts that an inbox works with. */
export interface InboxDeps extends CheckedInboxOptions {
  readonly run: RunStatement;
  /** The name of the table, quoted for SQL. */
  readonly name: string;
}

/** An entry that a worker holds. */
export interface HeldEntry {
  readonly entry: TakenEntry;
  /** Identifies this hold. Once another worker took the entry over, this hold can change nothing. */
  readonly holder: string;
  /** The number of workers in a row that held the entry and gave no verdict. */
  readonly deaths: number;
}

const openExpiry = secondsFromNow(`${openSeconds}`);

/**
 * An entry that so many workers died with may be the cause. It is handed out alone from then on, so that the entries beside it
 * do not share its deaths.
 */
const maxSharedDeaths = 3;

/** Tells whether a worker must handle an entry alone. */
export function isAlone({ deaths }: HeldEntry): boolean {
  return deaths >= maxSharedDeaths;
}

/** The room that a worker has for more entries. */
export interface Room {
  /** The maximum number of entries to take. */
  readonly max: number;
  /** Whether the worker handles no other entry, so that it may take one that must be alone. */
  readonly isIdle: boolean;
}

/**
 * Takes entries that are due, the longest due first. When an entry still has a holder, the worker that held it has died.
 *
 * An entry that must be alone is taken without others, and only by a worker that is idle. Nothing that is due after it is
 * taken before: else a worker that is never idle would never take it.
 *
 * `SKIP LOCKED` lets any number of workers take entries at the same time, and never the same one.
 */
export async function takeEntries(
  { run, name, takeOverSeconds }: InboxDeps,
  { max, isIdle }: Room,
): Promise<HeldEntry[]> {
  if (max === 0) return [];
  const holder = randomUUID();
  const rows = await run({
    text: `WITH due AS MATERIALIZED (
  SELECT key, due_at, deaths + (holder IS NOT NULL)::integer AS deaths FROM ${name}
  WHERE state = 'open' AND due_at <= now() ORDER BY due_at LIMIT $1::bigint FOR UPDATE SKIP LOCKED
), placed AS (
  SELECT key, due_at, deaths, row_number() OVER line AS place, bool_or(deaths >= ${maxSharedDeaths}) OVER line AS behind_alone
  FROM due WINDOW line AS (ORDER BY due_at ROWS UNBOUNDED PRECEDING)
), taken AS (
  UPDATE ${name} AS entry SET holder = $2::text, deaths = placed.deaths,
    due_at = ${secondsFromNow("$3")}, expires_at = ${openExpiry}
  FROM placed WHERE entry.key = placed.key AND (NOT behind_alone OR (place = 1 AND $4::boolean))
  RETURNING placed.due_at AS order_by, entry.key, body, failures::text, replayed::text, entry.deaths::text
)
SELECT key, body, failures, replayed, deaths FROM taken ORDER BY order_by`,
    values: [max, holder, takeOverSeconds, isIdle],
  });
  return rows.map(({ key, body, failures, replayed, deaths }) => {
    const text = fromColumn(body ?? "");
    const entry = { key: key ?? "", body: text, failures: Number(failures), replayed: replayed === "true" };
    return { entry, holder, deaths: Number(deaths) };
  });
}

/** Extends the holds on entries that no other worker took over. */
export async function renewEntries(
  { run, name, takeOverSeconds }: InboxDeps,
  held: readonly HeldEntry[],
): Promise<void> {
  await run({
    text: `UPDATE ${name} AS entry SET due_at = ${secondsFromNow("$3")}
FROM unnest($1::text[], $2::text[]) AS held (key, holder) WHERE entry.key = held.key AND entry.holder = held.holder`,
    values: [held.map(({ entry }) => entry.key), held.map(({ holder }) => holder), takeOverSeconds],
  });
}

/** Lists the dead letters, the newest first. */
export async function listDeadLetters({ run, name }: InboxDeps, limit: number): Promise<DeadLetterEntry[]> {
  const rows = await run({
    text: `SELECT key, body, error, (extract(epoch FROM settled_at) * 1000)::bigint::text AS milliseconds
FROM ${name} WHERE state = 'dead' ORDER BY settled_at DESC LIMIT $1::bigint`,
    values: [limit],
  });
  return rows.map(({ key, body, error, milliseconds }) => {
    const { name, code, message }: ErrorSummary = JSON.parse(error ?? "{}");
    const summary = { name, code, message };
    return { key: key ?? "", body: fromColumn(body ?? ""), error: summary, failedAtMilliseconds: Number(milliseconds) };
  });
}

/** Opens a dead letter or a handled entry again, and resolves to whether there was one. */
export async function replayEntry({ run, name }: InboxDeps, key: string): Promise<boolean> {
  const rows = await run({
    text: `UPDATE ${name} SET state = 'open', replayed = true, holder = NULL, error = NULL, failures = 0, deaths = 0,
  due_at = clock_timestamp(), expires_at = ${openExpiry} WHERE key = $1::text AND state <> 'open' RETURNING key`,
    values: [key],
  });
  return rows.length === 1;
}
