import type { BuriedEntry, InboxEntry, LastError, TakenEntry } from "@doorcode/core";
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
  readonly error?: LastError;
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
  bury(taken: TakenJob, error: LastError): Promise<void>;
  buried(limit: number): Promise<readonly BuriedEntry[]>;
  replay(key: string): Promise<boolean>;
}

/** Where the queue is. */
export interface QueuePlace {
  readonly pool: Pool;
  readonly schema: string;
  readonly name: string;
  readonly dead: string;
}

/** Creates the acts on a queue. */
export function createBossQueue(boss: Boss, { pool, schema, name, dead }: QueuePlace): BossQueue {
  const send = (entry: JobData, db: BossDatabase, startAfter = "0") =>
    boss.send(name, entry, { id: idOf(entry.key), singletonKey: entry.key, startAfter, db });
  const alone = createBossDatabase(pool, actSeconds);
  const together = <Result>(work: (db: BossDatabase) => Promise<TransactionEnd<Result>>) =>
    inTransaction(pool, (client) => work(databaseOf(client)), AbortSignal.timeout(actSeconds * 1000));

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
    delay: ({ job, entry }, afterSeconds, failures) =>
      together(async (db) => {
        // pg-boss has no pause without an attempt: the job makes room for itself, later.
        const { affected } = await boss.deleteJob(name, job, { db });
        const data = { key: entry.key, body: toColumn(entry.body), failures, replayed: entry.replayed };
        if (affected === 1) await send(data, db, String(afterSeconds));
        return { commit: affected === 1, result: undefined };
      }),
    bury: ({ job, entry }, error) =>
      together(async (db) => {
        // It stays behind as one that is done, so that a delivery of it that comes late is known.
        const { affected } = await boss.complete(name, job, null, { db });
        const data = { key: entry.key, body: toColumn(entry.body), error };
        if (affected === 1) await boss.send(dead, data, { singletonKey: entry.key, db });
        return { commit: affected === 1, result: undefined };
      }),
    async buried(limit) {
      // `findJobs` of pg-boss knows no limit.
      const { rows } = await alone.executeSql(
        `SELECT id::text, data::text, source_output::text AS output,
  (extract(epoch FROM created_on) * 1000)::bigint::text AS milliseconds
FROM ${schema}.job WHERE name = $1::text AND state = 'created' ORDER BY created_on DESC, id LIMIT $2::bigint`,
        [dead, limit],
      );
      return (rows as BuriedRow[]).map(readBuried);
    },
    replay: (key) =>
      together(async (db) => {
        await db.executeSql("SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))", [`doorcode inbox ${key}`]);
        const [known] = await boss.findJobs(name, { id: idOf(key), db });
        // Two, when it was buried, forgotten, delivered once more and buried again.
        const buried = await boss.findJobs(dead, { key, db });
        const found = known ?? buried[0];
        if (!found || (known && underWay.includes(known.state))) return { commit: false, result: false };
        for (const { id } of buried) await boss.deleteJob(dead, id, { db });
        if (known) await boss.deleteJob(name, known.id, { db });
        const { body } = readData(found);
        const sent = await send({ key, body, failures: 0, replayed: true }, db);
        return { commit: sent !== null, result: sent !== null };
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

/** What somebody else put into the queue is no event, and is buried as such; it must not hold up those beside it. */
function readData({ id, data }: Pick<BossJob, "id" | "data">): JobData {
  // An app may have its pool leave JSON as it is.
  const { key, body, ...rest }: Partial<JobData> = (typeof data === "string" ? JSON.parse(data) : data) ?? {};
  return { key: typeof key === "string" ? key : id, body: typeof body === "string" ? body : "", ...rest };
}

/** Every column as text. */
type BuriedRow = Readonly<Record<"id" | "data" | "output" | "milliseconds", string | null>>;

function readBuried({ id, data, output, milliseconds }: BuriedRow): BuriedEntry {
  const { key, body, error = workerDied(output) } = readData({ id: id ?? "", data });
  return { key, body: fromColumn(body), error, buriedAtMilliseconds: Number(milliseconds) };
}

/** pg-boss itself buries a job whose workers died again and again. */
function workerDied(output: string | null): LastError {
  const { value }: { value?: { message?: string } } = JSON.parse(output ?? "{}");
  return { name: "WorkerDied", code: undefined, message: value?.message ?? "" };
}
