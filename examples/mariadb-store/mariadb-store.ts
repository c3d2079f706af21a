import { DoorcodeError } from "@doorcode/core";
import {
  type Clock,
  type CounterChange,
  type CounterState,
  checkCounterChange,
  checkSeconds,
  checkTexts,
  createDeadline,
  type LeaseState,
  type Store,
  systemClock,
} from "@doorcode/core/store";
import type { Pool, PoolConnection } from "mysql2/promise";
import { absent, changeEntry, type Decide, type Entry, readEntries, removeExpired } from "./rows.ts";

/** Creates a store on MariaDB, shared by any number of processes. */
export function createMariadbStore(
  pool: Pool,
  { timeoutSeconds = 2, clock = systemClock }: { readonly timeoutSeconds?: number; readonly clock?: Clock } = {},
): Required<Store> {
  const run: Run = (work) => runInTime(pool, clock, timeoutSeconds, work);
  const change = <Answer>(key: string, decide: Decide<Answer>) =>
    run((connection) => changeEntry(connection, key, decide));

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
        const expiresAt = value === undefined ? now : now + ttlSeconds * 1000;
        return { answer: undefined, entry: { ...absent(now), value, expiresAt } };
      });
    },
    async increment(changes) {
      changes.forEach(checkCounterChange);
      return run(async (connection) => {
        const states: CounterState[] = [];
        // A transaction for each change: one that held several rows could deadlock with another list.
        for (const one of changes) states.push(await changeEntry(connection, one.key, changeCounter(one)));
        return states;
      });
    },
    async lease(key, token, { leaseSeconds, ttlSeconds }) {
      checkTexts(key, token);
      checkSeconds(leaseSeconds, ttlSeconds);
      return change<LeaseState>(key, (found, now) => {
        const { value, holder, leasedUntil } = found;
        if (holder !== undefined && holder !== token && now < leasedUntil) return { answer: { held: false, value } };
        const times = { leasedUntil: now + leaseSeconds * 1000, expiresAt: now + ttlSeconds * 1000 };
        return { answer: { held: true, value }, entry: { ...found, holder: token, ...times } };
      });
    },
    async settle(key, token, value, { ttlSeconds, hold = false }) {
      checkTexts(key, token, value);
      checkSeconds(ttlSeconds);
      return change(key, (found, now) => {
        if (found.holder !== token) return { answer: false };
        if (value === undefined && !hold) return { answer: true, entry: absent(now) };
        const holder = hold ? token : undefined;
        return { answer: true, entry: { ...found, value, holder, expiresAt: now + ttlSeconds * 1000 } };
      });
    },
    close: startCleaning(run),
  };
}

function changeCounter({
  by,
  limit = Number.MAX_SAFE_INTEGER,
  ttlSeconds,
  renew = false,
}: CounterChange): Decide<CounterState> {
  return (found, now) => {
    const exists = found.expiresAt > now;
    const granted = found.count + by <= Math.min(limit, Number.MAX_SAFE_INTEGER);
    const stateOf = ({ count, expiresAt }: Entry) => ({
      granted,
      count,
      secondsLeft: Math.ceil((expiresAt - now) / 1000),
    });
    if (!granted || by === 0 || (by < 0 && !exists)) return { answer: stateOf(found) };
    const count = Math.max(0, found.count + by);
    const expiresAt = exists && !renew ? found.expiresAt : now + ttlSeconds * 1000;
    // A counter ends at 0, so that the next change begins a lifetime of its own.
    const ends = count === 0 && found.value === undefined && found.holder === undefined;
    const entry = ends ? absent(now) : { ...found, count, expiresAt };
    return { answer: stateOf(entry), entry };
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
