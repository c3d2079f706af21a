import { type Clock, type OptionRules, optionRule, readOptions, systemClock, withDefault } from "@doorcode/core/store";
import type { Pool } from "pg";
import { booleanRule } from "../check-options.ts";
import type { RunStatement } from "../connection/run-statement.ts";
import type { Table } from "./table.ts";

/** Options of the removal of expired entries. */
export interface RemovalOptions {
  /** The maximum number of entries that one statement removes. Default: 1,000. */
  readonly batch?: number;
}

/** Options of the regular removal of expired entries, the same for the store and for the inbox. */
export interface CleaningOptions {
  /**
   * Whether expired entries are removed once a minute. With `false`, call `removeExpired` in a job of your own: expired
   * entries are never visible, but they contain phone numbers until they are removed. Default: true.
   */
  readonly cleaning?: boolean;
  /** Receives the error of a failed removal; the next one runs all the same. Default: a process warning. */
  readonly onError?: (error: unknown) => void;
}

/** Receives an error. */
type Report = (error: unknown) => void;

/** The rules of {@link CleaningOptions}. */
export const cleaningRules: OptionRules<Required<CleaningOptions>> = {
  cleaning: withDefault(booleanRule, true),
  onError: withDefault(optionRule(isReport, "expected a function such as console.error"), warn),
};

function isReport(value: unknown): value is Report {
  return typeof value === "function";
}

const batchRule = optionRule(
  (value): value is number => Number.isSafeInteger(value) && Number(value) > 0,
  "expected a whole number above 0, such as 1000",
);
const removalRules = { batch: withDefault(batchRule, 1000) };

/** The time between two runs of the regular removal. */
const everySeconds = 60;

const batch = 1000;

/** The limit of one run: a table that was never cleaned must not keep the database busy for minutes. */
const maxBatches = 50;

/**
 * Removes at most `batch` entries that have expired, and resolves to their number.
 *
 * `FOR UPDATE` reads the newest version of each row it locks: an entry that was renewed in the meantime has not expired, and
 * stays. `SKIP LOCKED` lets any number of processes remove entries without waiting for rows in use. The time is `now()`, the
 * start of the statement, because an index cannot be searched for a time that changes.
 */
export async function removeExpired(run: RunStatement, { name, key }: Table, options: RemovalOptions): Promise<number> {
  const { batch } = readOptions("removeExpired", removalRules, options);
  const [row] = await run({
    text: `WITH expired AS MATERIALIZED (
  SELECT ${key} FROM ${name} WHERE expires_minute <= now() AND expires_at <= now()
  ORDER BY expires_minute LIMIT $1::bigint FOR UPDATE SKIP LOCKED
), removed AS (
  DELETE FROM ${name} AS entry USING expired WHERE entry.${key} = expired.${key} AND entry.expires_at <= now() RETURNING 1
)
SELECT count(*)::text AS removed FROM removed`,
    values: [batch],
  });
  return Number(row?.removed);
}

/** The parts that the regular removal works with. */
export interface CleaningDeps {
  readonly run: RunStatement;
  readonly table: Table;
  /** The pool of `run`. The removal ends with it. */
  readonly pool: Pool;
  readonly clock: Clock;
  readonly onError: Report;
}

/**
 * Removes expired entries once a minute, at most 50 batches of 1,000 in one run, until the returned function is called or
 * the pool ends. It never keeps the process alive, and never throws: it reports errors.
 */
export function startCleaning({ run, table, pool, clock, onError }: CleaningDeps): () => void {
  let isStopped = false;
  const isOver = () => isStopped || pool.ending;
  let cancel = scheduleNext();

  function scheduleNext(): () => void {
    return scheduleInBackground(clock, everySeconds * 1000, () => void clean());
  }

  async function clean(): Promise<void> {
    try {
      let batches = 0;
      while (!isOver() && batches++ < maxBatches && (await removeExpired(run, table, { batch })) === batch);
    } catch (error) {
      // A pool that is ending refuses statements.
      if (!isOver()) report(error);
    }
    if (!isOver()) cancel = scheduleNext();
  }

  function report(error: unknown): void {
    try {
      onError(error);
    } catch {
      // Thrown here, the error of a callback would end the process.
      warn(error);
    }
  }

  return () => {
    isStopped = true;
    cancel();
  };
}

/** Schedules a task that does not keep the process alive, which timers of the machine's clock would do. */
function scheduleInBackground(clock: Clock, delayMilliseconds: number, task: () => void): () => void {
  if (clock !== systemClock) return clock.schedule(delayMilliseconds, task);
  const timer = setTimeout(task, delayMilliseconds).unref();
  return () => clearTimeout(timer);
}

function warn(error: unknown): void {
  process.emitWarning(`@doorcode/postgres could not remove expired entries: ${error}`, "DoorcodeWarning");
}
