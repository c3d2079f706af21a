import type { RunStatement } from "./run-statement.ts";
import type { Table } from "./table.ts";

/** How what has expired is removed. */
export interface CleaningOptions {
  /** Seconds from one cleaning to the next; 60 when left out. */
  readonly everySeconds?: number;
  /** How many entries one statement removes at most; 1,000 when left out. */
  readonly batch?: number;
  /** Hears of a cleaning that failed; the next one is tried all the same. A process warning when left out. */
  readonly onError?: (error: unknown) => void;
}

export const defaultBatch = 1000;

/**
 * Removes at most `batch` entries that have expired, and answers how many.
 *
 * `FOR UPDATE` looks at the newest version of each row it locks: what was renewed in the meantime is no longer expired
 * and stays. `SKIP LOCKED` lets any number of processes clean, and none of them waits for a row in use. The time is that
 * of the statement's beginning here, since an index cannot be searched for a time that changes.
 */
export async function removeExpired(run: RunStatement, { name }: Table, batch: number): Promise<number> {
  checkWhole("batch", batch);
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

/** Removes what has expired, batch by batch, again and again until it is stopped. Never keeps a process alive. */
export function startCleaning(run: RunStatement, table: Table, options: CleaningOptions): () => void {
  const { everySeconds = 60, batch = defaultBatch, onError = warn } = options;
  checkWhole("batch", batch);
  if (!(everySeconds > 0 && everySeconds <= 86_400)) {
    throw new TypeError("startCleaning: everySeconds must be above 0 and at most 86400.");
  }
  let stopped = false;
  let busy = false;

  async function clean(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      while (!stopped && (await removeExpired(run, table, batch)) === batch);
    } catch (error) {
      onError(error);
    } finally {
      busy = false;
    }
  }

  const timer = setInterval(clean, everySeconds * 1000).unref();
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}

function checkWhole(option: string, given: number): void {
  if (Number.isSafeInteger(given) && given > 0) return;
  throw new TypeError(`@doorcode/postgres: ${option} must be a whole number above 0, such as ${defaultBatch}.`);
}

function warn(error: unknown): void {
  process.emitWarning(`@doorcode/postgres could not remove what has expired: ${error}`);
}
