import { functionOption, parseOptions, secondsOption, strictOptions } from "@doorcode/core/store";
import { z } from "zod";
import type { RunStatement } from "../connection/run-statement.ts";
import type { Table } from "./table.ts";

/** Options of the removal of expired entries. */
export interface RemovalOptions {
  /** The maximum number of entries that one statement removes. Default: 1,000. */
  readonly batch?: number;
}

/** Options of the repeated removal of expired entries. */
export interface CleaningOptions extends RemovalOptions {
  /** The time between two removals. Default: 60. */
  readonly everySeconds?: number;
  /** Receives the error of a failed removal; the next one runs all the same. Default: a process warning. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const batchExpected = "expected a whole number above 0, such as 1000";
const removalFields = { batch: z.int(batchExpected).min(1, batchExpected).default(1000) };
const removalShape = strictOptions(removalFields);
const cleaningShape = strictOptions({
  ...removalFields,
  everySeconds: secondsOption(0.001, 86_400).default(60),
  onError: functionOption().optional(),
});

/**
 * Removes at most `batch` entries that have expired, and resolves to their number.
 *
 * `FOR UPDATE` reads the newest version of each row it locks: an entry that was renewed in the meantime has not expired, and
 * stays. `SKIP LOCKED` lets any number of processes remove entries without waiting for rows in use. The time is `now()`, the
 * start of the statement, because an index cannot be searched for a time that changes.
 */
export async function removeExpired(run: RunStatement, { name }: Table, options: RemovalOptions): Promise<number> {
  const { batch } = parseOptions("removeExpired", removalShape, options);
  const [row] = await run({
    text: `WITH expired AS MATERIALIZED (
  SELECT key FROM ${name} WHERE expires_minute <= now() AND expires_at <= now()
  ORDER BY expires_minute LIMIT $1::bigint FOR UPDATE SKIP LOCKED
), removed AS (
  DELETE FROM ${name} AS entry USING expired WHERE entry.key = expired.key AND entry.expires_at <= now() RETURNING 1
)
SELECT count(*)::text AS removed FROM removed`,
    values: [batch],
  });
  return Number(row?.removed);
}

/**
 * Removes expired entries batch by batch, again and again until it is stopped. A timer of the machine, because those of a
 * `Clock` would keep the process alive.
 */
export function startCleaning(run: RunStatement, table: Table, options: CleaningOptions): () => void {
  const { everySeconds, batch } = parseOptions("startCleaning", cleaningShape, options);
  const { onError = warn } = options;
  let isStopped = false;
  let isBusy = false;

  async function clean(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    try {
      while (!isStopped && (await removeExpired(run, table, { batch })) === batch);
    } catch (error) {
      onError(error);
    } finally {
      isBusy = false;
    }
  }

  const timer = setInterval(clean, everySeconds * 1000).unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}

function warn(error: unknown): void {
  process.emitWarning(`@doorcode/postgres could not remove expired entries: ${error}`, "DoorcodeWarning");
}
