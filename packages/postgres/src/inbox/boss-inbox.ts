import { DoorcodeError } from "@doorcode/core";
import { type Clock, waitAtMost } from "@doorcode/core/clock";
import type { Inbox } from "@doorcode/core/inbox";
import { surviveIdleErrors } from "../connection/check-out.ts";
import { type Bell, createBell } from "./bell.ts";
import { createBossDatabase } from "./boss-database.ts";
import { type Boss, createBoss } from "./boss-engine.ts";
import { type BossInboxOptions, checkInboxOptions } from "./boss-options.ts";
import { type BossQueue, createBossQueue } from "./boss-queue.ts";
import { startBossWorker } from "./boss-worker.ts";

/**
 * Creates an inbox on PostgreSQL with pg-boss 12, for `createDoorcode({ webhooks: { inbox } })`.
 *
 * An event is acknowledged when its row is committed. pg-boss starts at the first use, in the schema `pgboss`, which it
 * makes and updates itself; what is done or expired it removes by itself, in every process that uses the inbox.
 *
 * The verbs reject with `store_unavailable` when it cannot start, and with what PostgreSQL says.
 *
 * @throws TypeError for a wrong option, and when `pg-boss` is not installed.
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * import { createBossInbox, createPostgresStore } from "@doorcode/postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * const doorcode = createDoorcode({
 *   store: createPostgresStore({ pool }),
 *   webhooks: { secret: process.env.WEBHOOK_SECRET, inbox: createBossInbox({ pool }) },
 * });
 * const worker = await doorcode.work();
 */
export function createBossInbox(options: BossInboxOptions): Inbox {
  const checked = checkInboxOptions(options);
  const { pool, schema, name, migrate, takeOverSeconds, clock } = checked;
  const dead = `${name}-dead`;
  const closing = new AbortController();
  surviveIdleErrors(pool);
  const boss = createBoss({
    db: createBossDatabase(pool, secondsLeft, closing.signal),
    schema,
    migrate,
    schedule: false,
    superviseIntervalSeconds: takeOverSeconds,
    monitorIntervalSeconds: takeOverSeconds,
    maintenanceIntervalSeconds: removingSeconds,
  });
  boss.on("error", (error) => closed || checked.onError(error));
  const queue = createBossQueue(boss, { pool, schema, name, dead });
  const bells = new Set<Bell>();
  let started: Promise<BossQueue> | undefined;
  /** As `performance.now` has it; undefined when it has started. */
  let startsUntil: number | undefined;
  let closed = false;

  function secondsLeft(): number {
    if (startsUntil === undefined) return maintenanceSeconds;
    return Math.max(0, (startsUntil - performance.now()) / 1000);
  }

  function start(): Promise<BossQueue> {
    if (closed) throw new TypeError("The inbox was closed: create another.");
    if (started) return started;
    startsUntil = performance.now() + startingSeconds * 1000;
    started = prepare(boss, checked, dead).then(
      () => {
        startsUntil = undefined;
        return queue;
      },
      async (error) => {
        // Whatever has begun by then would go on beside the next try.
        await stop(boss, clock);
        started = undefined;
        throw explain(error, checked);
      },
    );
    return started;
  }

  return {
    async add(entry) {
      await (await start()).add(entry);
      for (const bell of bells) bell.ring();
    },
    async work(handle, work) {
      const bell = createBell(clock);
      const worker = startBossWorker(await start(), handle, work, { ...checked, bell });
      bells.add(bell);
      return {
        async stop(limit) {
          bells.delete(bell);
          await worker.stop(limit);
        },
      };
    },
    deadLetters: async (limit) => (await start()).deadLetters(limit),
    replay: async (key) => (await start()).replay(key),
    async close() {
      closed = true;
      const settled = started?.catch(() => undefined);
      if (settled) await waitAtMost(clock, stopSeconds, settled);
      // Workers were stopped by whoever started them.
      await stop(boss, clock);
      closing.abort(new Error("The inbox was closed."));
    },
  };
}

/** Its own words stay in the cause: PostgreSQL may quote what it was told. */
function explain(error: unknown, { schema, migrate }: Required<BossInboxOptions>): DoorcodeError {
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  const fix = migrate
    ? `that the role may make the schema ${schema}, or another made it and migrate is false`
    : `that the schema ${schema} is there: once, let a role that may make it start an inbox with migrate: true`;
  const message = `The inbox could not start${code}: see that PostgreSQL answers, and ${fix}.`;
  return new DoorcodeError("store_unavailable", { message, cause: error });
}

/** pg-boss waits for what it is doing, for ever where the database does not answer. */
function stop(boss: Boss, clock: Clock): Promise<void> {
  return waitAtMost(clock, stopSeconds, boss.stop({ graceful: false }));
}

const stopSeconds = 5;
/**
 * Every verb waits for the start, and nothing else would end the waiting for an answer that was lost on its way. What
 * PostgreSQL has begun by then, such as an index over a large table, it ends all the same; the next start finds it.
 */
const startingSeconds = 30;
/** What pg-boss does by itself may take its time: it counts, removes and changes its tables. */
const maintenanceSeconds = 300;
/** How often what has been kept for long enough is removed; left to itself pg-boss does so once a day. */
const removingSeconds = 300;

/** An event whose workers die again and again is what kills them. */
const maxDeaths = 20;
/** An event may wait for its first worker for as long; pg-boss forgets it then. */
const waitingSeconds = 90 * 86_400;
/** The kit gives up a handler after an hour at most; what the heart beats for any longer is given to another worker. */
const maxSeconds = 7200;

async function prepare(
  boss: Boss,
  { name, keepSeconds, keepDeadLettersSeconds, takeOverSeconds }: Required<BossInboxOptions>,
  dead: string,
): Promise<void> {
  await boss.start();
  await createOrUpdate(boss, dead, { retentionSeconds: keepDeadLettersSeconds });
  await createOrUpdate(boss, name, {
    deadLetter: dead,
    retryLimit: maxDeaths,
    retryDelay: 0,
    expireInSeconds: maxSeconds,
    heartbeatSeconds: takeOverSeconds,
    retentionSeconds: waitingSeconds,
    deleteAfterSeconds: keepSeconds,
  });
  // pg-boss looks a queue up once, on a connection of its own; a transaction that waited for that could wait for ever.
  for (const queue of [name, dead]) await boss.findJobs(queue, { key: "" });
}

async function createOrUpdate(boss: Boss, name: string, options: Readonly<Record<string, unknown>>): Promise<void> {
  await boss.createQueue(name, options);
  // One that was there keeps the options it was made with.
  await boss.updateQueue(name, options);
}
