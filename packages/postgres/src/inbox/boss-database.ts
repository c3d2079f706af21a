import type { Pool, PoolClient } from "pg";
import { checkOut, giveBack } from "../connection/check-out.ts";
import { createDeadline, type Deadline, endAt } from "../connection/deadline.ts";
import { withoutValues } from "../connection/without-values.ts";
import type { BossDatabase } from "./boss-engine.ts";

/**
 * Runs statements for pg-boss on connections of the pool, each within that time.
 *
 * Without an end to the waiting, one answer that is lost on its way would keep a worker waiting for ever. A connection goes
 * back to the pool only after it answered.
 *
 * @param timeoutSeconds - asked when a statement begins.
 * @param closing - closes those that wait for an answer: else whoever ends the pool would wait for them.
 */
export function createBossDatabase(pool: Pool, timeoutSeconds: () => number, closing?: AbortSignal): BossDatabase {
  return {
    async executeSql(text, values) {
      const deadline = createDeadline(timeoutSeconds());
      const close = endAt(closing);
      try {
        return await runInPool(pool, both(close, deadline), text, values);
      } finally {
        deadline.clear();
        close.clear();
      }
    },
  };
}

type Meeting = Pick<Deadline, "meet">;

function both(first: Meeting, second: Meeting): Meeting {
  return { meet: (work) => first.meet(second.meet(work)) };
}

async function runInPool(pool: Pool, deadline: Meeting, text: string, values: unknown[] | undefined) {
  const client = await checkOut(pool, deadline);
  let answered = false;
  try {
    const result = await deadline.meet(databaseOf(client).executeSql(text, values));
    answered = true;
    return result;
  } finally {
    giveBack(client, { answered });
  }
}

/** Gives pg-boss a connection, such as one in a transaction. */
export function databaseOf(client: PoolClient): BossDatabase {
  return {
    async executeSql(text, values) {
      try {
        return await client.query(text, values);
      } catch (error) {
        throw withoutValues(error);
      }
    },
  };
}
