import { DoorcodeError } from "@doorcode/core";
import {
  type Clock,
  type CounterState,
  checkCounterChange,
  checkSeconds,
  checkTexts,
  createDeadline,
  type EntryRule,
  incrementEntry,
  leaseEntry,
  type Store,
  settleEntry,
  systemClock,
} from "@doorcode/core/store";
import type { Pool, PoolConnection } from "mysql2/promise";
import { changeEntry, readEntries, removeExpired } from "./rows.ts";

/** Creates a store on MariaDB, shared by any number of processes. */
export function createMariadbStore(
  pool: Pool,
  { timeoutSeconds = 2, clock = systemClock }: { readonly timeoutSeconds?: number; readonly clock?: Clock } = {},
): Required<Store> {
  const run: Run = (work) => runInTime(pool, clock, timeoutSeconds, work);
  const change = <Answer>(key: string, rule: EntryRule<Answer>) =>
    run((connection) => changeEntry(connection, key, rule));

  return {
    async get(keys) {
      checkTexts(...keys);
      const entries = await run((connection) => readEntries(connection, keys));
      return entries.map((entry) => entry?.value);
    },
    async put(key, value, { ttlSeconds }) {
      checkTexts(key, value);
      checkSeconds(ttlSeconds);
      await change(key, (_, now) => {
        const next = value === undefined ? undefined : { value, expiresAt: now + ttlSeconds * 1000 };
        return { answer: undefined, next };
      });
    },
    async increment(changes) {
      changes.forEach(checkCounterChange);
      return run(async (connection) => {
        const states: CounterState[] = [];
        // A transaction for each change: one that held several rows could deadlock with another list.
        for (const one of changes) {
          states.push(await changeEntry(connection, one.key, (found, now) => incrementEntry(found, now, one)));
        }
        return states;
      });
    },
    async lease(key, token, options) {
      checkTexts(key, token);
      checkSeconds(options.leaseSeconds, options.ttlSeconds);
      return change(key, (found, now) => leaseEntry(found, now, token, options));
    },
    async settle(key, token, value, options) {
      checkTexts(key, token, value);
      checkSeconds(options.ttlSeconds);
      return change(key, (found, now) => settleEntry(found, now, token, value, options));
    },
    close: startCleaning(run),
  };
}

type Run = <Answer>(work: (connection: PoolConnection) => Promise<Answer>) => Promise<Answer>;

/**
 * Works on a connection of the pool, in time. A connection that fails is closed: nothing is sent or committed on it
 * later.
 */
async function runInTime<Answer>(
  pool: Pool,
  clock: Clock,
  seconds: number,
  work: (connection: PoolConnection) => Promise<Answer>,
): Promise<Answer> {
  const message = `MariaDB did not answer within ${seconds} s.`;
  const deadline = createDeadline(clock, seconds, () => new DoorcodeError("store_unavailable", { message }));
  try {
    const connecting = pool.getConnection();
    const connection = await deadline.race(connecting).catch((error: unknown) => {
      // A connection that comes too late must not be lost to the pool.
      connecting.then((late) => late.release()).catch(() => undefined);
      throw error;
    });
    try {
      const answer = await deadline.race(work(connection));
      connection.release();
      return answer;
    } catch (error) {
      connection.destroy();
      // Errors are published, and mysql2 adds the statement with its values, such as phone numbers.
      if (error instanceof Error) Reflect.deleteProperty(error, "sql");
      throw error;
    }
  } finally {
    deadline.clear();
  }
}

const batch = 1000;

/** Removes expired entries once a minute, because they hold phone numbers. Returns a function that stops it. */
function startCleaning(run: Run): () => Promise<void> {
  let removing = Promise.resolve();
  async function clean(): Promise<void> {
    while ((await run((connection) => removeExpired(connection, batch))) === batch);
  }
  const timer = setInterval(() => {
    removing = clean().catch((error) => process.emitWarning(`Expired entries could not be removed: ${error}`));
  }, 60_000).unref();
  return async () => {
    clearInterval(timer);
    await removing;
  };
}
