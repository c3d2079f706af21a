import type { DeadLetterEntry, ErrorSummary, InboxEntry, TakenEntry } from "@doorcode/core/inbox";
import type { Pool } from "pg";
import { inTransaction, type TransactionEnd } from "../connection/transaction.ts";
import { fromColumn, toColumn } from "../store/text.ts";
import { createBossDatabase, databaseOf } from "./boss-database.ts";
import type { Boss, BossDatabase, BossJob } from "./boss-engine.ts";

/** What a job of the inbox holds; a dead letter has the error instead of the two in the middle. */
interface JobData {
  readonly key: string;
  /** As a column holds it. */
  readonly body: string;
  readonly failures?: number;
  readonly replayed?: boolean;
  readonly error?: ErrorSummary;
}

/** A job of the inbox in the hands of a worker. */
export interface TakenJob {
  readonly job: BossJob;
  readonly entry: TakenEntry;
}

/** A queue of pg-boss that holds entries, and the one of its dead letters. Every act is one transaction. */
export interface BossQueue {
  add(entry: InboxEntry): Promise<void>;
  take(most: number): Promise<readonly TakenJob[]>;
  /** Tells that a worker still lives. */
  touch(taken: TakenJob): Promise<void>;
  /** These three do nothing when the job was given to another worker since. */
  complete(taken: TakenJob): Promise<void>;
  delay(taken: TakenJob, afterSeconds: number, failures: number): Promise<void>;
  deadLetter(taken: TakenJob, error: ErrorSummary): Promise<void>;
  deadLetters(limit: number): Promise<readonly DeadLetterEntry[]>;
  replay(key: string): Promise<boolean>;
}

/** Where the queue is. */
export interface QueuePlace {
  readonly pool: Pool;
  readonly schema: string;
  readonly name: string;
  readonly dead: string;
}

/** When a job is handed out again. */
interface NextTurn {
  /** The state in which it was found. */
  readonly from: string;
  /** The deaths of its workers until then no longer count. */
  readonly forgetsDeaths: boolean;
  readonly afterSeconds: number;
}

/** Creates the acts on a queue. */
export function createBossQueue(boss: Boss, { pool, schema, name, dead }: QueuePlace): BossQueue {
  const send = (entry: JobData, db: BossDatabase) =>
    boss.send(name, entry, { id: idOf(entry.key), singletonKey: entry.key, db });
  const alone = createBossDatabase(pool, () => actSeconds);
  const together = <Result>(work: (db: BossDatabase) => Promise<TransactionEnd<Result>>) =>
    inTransaction(pool, (client) => work(databaseOf(client)), AbortSignal.timeout(actSeconds * 1000));

  /**
   * Puts a job back in place, and answers whether it was still as it was found. It keeps the count of its attempts, by which
   * pg-boss knows whose verdict comes too late: one that is made anew would listen to a worker of the one before it.
   *
   * pg-boss has no pause without a failure: to take it again is one more attempt, which must not count as a death. As it
   * takes the oldest first, a job that was handed out goes to the end of the line.
   */
  async function putBack(db: BossDatabase, { id, retryCount }: BossJob, data: JobData, to: NextTurn): Promise<boolean> {
    const { rows } = await db.executeSql(
      `UPDATE ${schema}.job AS job SET state = 'retry', data = $5::jsonb,
  retry_limit = CASE WHEN $7::boolean THEN job.retry_count + queue.retry_limit ELSE job.retry_limit END + 1,
  start_after = now() + $6::float8 * interval '1 second', heartbeat_on = NULL, completed_on = NULL, output = NULL,
  created_on = now(), keep_until = now() + queue.retention_seconds * interval '1 second'
FROM ${schema}.queue AS queue
WHERE queue.name = $1::text AND job.name = $1::text AND job.id = $2::uuid AND job.state::text = $3::text
  AND job.retry_count = $4::int
RETURNING job.id`,
      [name, id, to.from, retryCount, JSON.stringify(data), to.afterSeconds, to.forgetsDeaths],
    );
    return rows.length === 1;
  }

  return {
    async add({ key, body }) {
      await send({ key, body: toColumn(body), failures: 0, replayed: false }, alone);
    },
    async take(most) {
      const jobs = await boss.fetch(name, { batchSize: most, db: alone });
      return jobs.map((job) => ({ job, entry: readEntry(job) }));
    },
    async touch({ job }) {
      await boss.touch(name, job, { db: alone });
    },
    async complete({ job }) {
      await boss.complete(name, job, null, { db: alone });
    },
    async delay({ job, entry }, afterSeconds, failures) {
      const data = { key: entry.key, body: toColumn(entry.body), failures, replayed: entry.replayed };
      await putBack(alone, job, data, { from: "active", forgetsDeaths: false, afterSeconds });
    },
    deadLetter: ({ job, entry }, error) =>
      together(async (db) => {
        // It stays behind as one that is done, so that a delivery of it that comes late is known.
        const { affected } = await boss.complete(name, job, null, { db });
        const data = { key: entry.key, body: toColumn(entry.body), error };
        if (affected === 1) await boss.send(dead, data, { singletonKey: entry.key, db });
        return { commit: affected === 1, result: undefined };
      }),
    async deadLetters(limit) {
      // `findJobs` of pg-boss knows no limit.
      const { rows } = await alone.executeSql(
        `SELECT id::text, data::text, source_output::text AS output,
  (extract(epoch FROM created_on) * 1000)::bigint::text AS milliseconds
FROM ${schema}.job WHERE name = $1::text AND state = 'created' ORDER BY created_on DESC, id LIMIT $2::bigint`,
        [dead, limit],
      );
      return (rows as DeadLetterRow[]).map(readDeadLetter);
    },
    replay: (key) =>
      together(async (db) => {
        await db.executeSql("SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))", [`doorcode inbox ${key}`]);
        const [known] = await boss.findJobs(name, { id: idOf(key), db });
        // Two, when it was deadLetters, forgotten, delivered once more and deadLetters again.
        const deadLetters = await boss.findJobs(dead, { key, db });
        const found = known ?? deadLetters[0];
        if (!found || (known && underWay.includes(known.state))) return { commit: false, result: false };
        for (const { id } of deadLetters) await boss.deleteJob(dead, id, { db });
        const data = { key, body: readData(found).body, failures: 0, replayed: true };
        const anew = { from: known?.state ?? "", forgetsDeaths: true, afterSeconds: 0 };
        const isBack = known ? await putBack(db, known, data, anew) : (await send(data, db)) !== null;
        return { commit: isBack, result: isBack };
      }),
  };
}

/** A worker looks again after that, and a webhook has been answered long before. */
const actSeconds = 10;

const underWay: readonly string[] = ["created", "retry", "active"];

/** pg-boss names jobs by UUID: the first half of the key is as good as one. */
function idOf(key: string): string {
  return key.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function readEntry(job: BossJob): TakenEntry {
  const { key, body, failures = 0, replayed = false } = readData(job);
  return { key, body: fromColumn(body), failures, replayed };
}

/** What somebody else put into the queue is no event, and is deadLetters as such; it must not hold up those beside it. */
function readData({ id, data }: Pick<BossJob, "id" | "data">): JobData {
  // An app may have its pool leave JSON as it is.
  const { key, body, ...rest } = readObject(typeof data === "string" ? parseJson(data) : data);
  return { key: typeof key === "string" ? key : id, body: typeof body === "string" ? body : "", ...rest };
}

function readObject(data: unknown): Partial<JobData> {
  return typeof data === "object" && data !== null ? data : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every column as text. */
type DeadLetterRow = Readonly<Record<"id" | "data" | "output" | "milliseconds", string | null>>;

function readDeadLetter({ id, data, output, milliseconds }: DeadLetterRow): DeadLetterEntry {
  const { key, body, error = workerDied(output) } = readData({ id: id ?? "", data });
  return { key, body: fromColumn(body), error, failedAtMilliseconds: Number(milliseconds) };
}

/** pg-boss itself buries a job whose workers died again and again. */
function workerDied(output: string | null): ErrorSummary {
  const { value }: { value?: { message?: string } } = JSON.parse(output ?? "{}");
  return { name: "WorkerDied", code: undefined, message: value?.message ?? "" };
}
