import { type Clock, parseOptions, scheduleInBackground, strictOptions } from "@doorcode/core/store";
import { z } from "zod";
import type { RunStatement } from "../connection/run-statement.ts";
import { now } from "../sql.ts";

const defaultBatch = 1000;

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

const cleaningOption: z.ZodType<boolean, boolean | undefined> = z.boolean("expected true or false").default(true);

const onErrorOption: z.ZodType<Report, Report | undefined> = z
  .custom<Report>((value) => typeof value === "function", "expected a function such as console.error")
  .default(() => warn);

/** The shape of {@link CleaningOptions}. */
export const cleaningOptions: { readonly cleaning: typeof cleaningOption; readonly onError: typeof onErrorOption } = {
  cleaning: cleaningOption,
  onError: onErrorOption,
};

const batchExpected = "expected a whole number above 0, such as 1000";
const removalShape = strictOptions(
  { batch: z.int(batchExpected).min(1, batchExpected).default(defaultBatch) },
  "{ batch: 1000 }",
);

/**
 * Removes at most `batch` entries that have expired, and resolves to their number. `FOR UPDATE` reads the newest version of each row it
 * locks: an entry that was renewed in the meantime has not expired, and stays. `SKIP LOCKED` lets any number of processes remove entries
 * without waiting for rows in use.
 */
export async function removeExpired(run: RunStatement, table: string, options: RemovalOptions = {}): Promise<number> {
  const { batch } = parseOptions("removeExpired", removalShape, options);
  const removed = await run(
    `WITH expired AS (
  SELECT key FROM ${table} WHERE expires_at <= ${now} ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
DELETE FROM ${table} AS entry USING expired WHERE entry.key = expired.key RETURNING 'removed'`,
    [batch],
  );
  return removed.length;
}

const everySeconds = 60;

/** The limit of one run: a table that was never cleaned must not keep the database busy for minutes. */
const maxBatches = 50;

/** The parts that the regular removal works with. */
interface CleaningDeps {
  readonly run: RunStatement;
  readonly table: string;
  readonly cleaning: boolean;
  readonly clock: Clock;
  readonly onError: Report;
}

/**
 * Removes expired entries once a minute, unless `cleaning` is off. It never keeps the process alive, never throws, and reports errors.
 * Returns a function that stops it, and waits for the batch that is being removed.
 */
export function startCleaning({ run, table, cleaning, clock, onError }: CleaningDeps): () => Promise<void> {
  let isStopped = !cleaning;
  let running = Promise.resolve();
  let cancel = () => {};

  function scheduleNext(): void {
    if (isStopped) return;
    cancel = scheduleInBackground(clock, everySeconds * 1000, () => {
      running = clean().catch(report).then(scheduleNext);
    });
  }

  async function clean(): Promise<void> {
    for (let batches = 0; batches < maxBatches && !isStopped; batches++) {
      if ((await removeExpired(run, table)) < defaultBatch) return;
    }
  }

  function report(error: unknown): void {
    try {
      onError(error);
    } catch {
      // Thrown here, the error of a callback would end the process.
      warn(error);
    }
  }

  scheduleNext();
  return async () => {
    isStopped = true;
    cancel();
    await running;
  };
}

function warn(error: unknown): void {
  process.emitWarning(`@doorcode/postgres could not remove expired entries: ${error}`, "DoorcodeWarning");
}
