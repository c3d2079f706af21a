import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { migrate } from "@doorcode/postgres";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { onTestFinished } from "vitest";
import { findPostgres, startPglite } from "../support/postgres-server.ts";
import { endPostgresLeases } from "../support/postgres-time.ts";
import { findRedis, isInstalled, type RunningRedis, startRedis } from "../support/redis-server.ts";
import { endRedisLeases } from "../support/redis-time.ts";
import { type Engine, type EngineOptions, openEngine, openSqliteFile, type Place } from "./open-engine.ts";

/** A store and an inbox of a test's own. */
export interface InboxSetup extends Engine {
  readonly place: Place;
  /** Ends everything that a dead worker held, leases of the store and entries of the inbox, and the pauses before retries. */
  endHolds(): Promise<void>;
  /** Ends the leases of the store alone. */
  endLeases(): Promise<void>;
  /** Lets an entry that waits have as many workers behind it that have died with it. */
  setDeaths(key: string, deaths: number): Promise<void>;
}

/** An engine on which the inbox is tested. */
export interface TestedEngine {
  readonly name: string;
  setUp(options?: EngineOptions): Promise<InboxSetup>;
  close(): Promise<void>;
}

/** Finds the engines of the machine that several processes can share. */
export async function findEngines(): Promise<readonly TestedEngine[]> {
  const redis = await findRedis();
  const postgres = await findPostgres();
  const engines: TestedEngine[] = [{ name: "SQLite", setUp: setUpSqlite, close: async () => undefined }];
  if (redis) engines.push(createRedisEngine("Redis", redis));
  if (postgres) {
    const setUp = (options?: EngineOptions) => setUpPostgres(postgres.url, options);
    engines.push({ name: "PostgreSQL", setUp, close: postgres.close });
  }
  return engines;
}

/** Starts Valkey, for tests that are worth a second run. The list is empty where it is not installed. */
export async function findValkey(): Promise<readonly TestedEngine[]> {
  if (!isInstalled("valkey-server")) return [];
  const { url, stop } = await startRedis({ binary: "valkey-server" });
  return [createRedisEngine("Valkey", { url, close: stop })];
}

/** Starts the engine that runs on every machine. */
export async function startPgliteEngine(): Promise<TestedEngine> {
  const { url, close } = await startPglite();
  return { name: "PGlite", setUp: (options) => setUpPostgres(url, options), close };
}

function createRedisEngine(name: string, server: RunningRedis): TestedEngine {
  return { name, setUp: (options) => setUpRedis(server, options), close: server.close };
}

/**
 * Opens keys of its own on a server of Redis, which others may use too. They are removed with the test.
 *
 * @param through - the way of the engine to the server, such as a proxy.
 */
export async function setUpRedis(
  server: Pick<RunningRedis, "url">,
  options: EngineOptions = {},
  through: string = server.url,
): Promise<InboxSetup> {
  const place = { kind: "redis", url: server.url, prefix: `t${randomUUID().slice(0, 8)}` } as const;
  const engine = openEngine({ ...place, url: through }, options);
  const admin = new Redis(server.url);
  admin.on("error", () => undefined);
  onTestFinished(async () => {
    await engine.close();
    const left = [...(await admin.keys(`${place.prefix}*`)), ...(await admin.keys(`{${place.prefix}}*`))];
    if (left.length > 0) await admin.unlink(left);
    admin.disconnect();
  });
  return {
    ...{ ...engine, place },
    endHolds: () => endRedisHolds(admin, place.prefix),
    endLeases: () => endRedisLeases(admin, place.prefix),
    // The count that BullMQ keeps.
    setDeaths: async (key, deaths) => void (await admin.hset(`{${place.prefix}}:webhooks:${key}`, "stc", deaths)),
  };
}

/**
 * Opens a schema of its own on a PostgreSQL. It is removed with the test.
 *
 * @param through - the way of the engine to the server, such as a proxy.
 */
export async function setUpPostgres(url: string, options: EngineOptions = {}, through: string = url) {
  const schema = `doorcode_test_${randomUUID().slice(0, 8)}`;
  const place = { kind: "postgres", url, schema, transactional: false } as const;
  const admin = new Pool({ connectionString: url, max: 2 });
  // A server that a test ends sends an error to every client.
  admin.on("error", () => undefined);
  await migrate(admin, { schema });
  await admin.query(`CREATE TABLE ${schema}.effects (key text, place bigserial);
    CREATE TABLE ${schema}.keyed_effects (key text PRIMARY KEY, place bigserial)`);
  const engine = openEngine({ ...place, url: through }, options);
  onTestFinished(async () => {
    await engine.close();
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  });
  return {
    ...{ ...engine, place },
    endHolds: () => endPostgresHolds(admin, schema),
    endLeases: () => endPostgresLeases(admin, `${schema}.doorcode_entries`),
    async setDeaths(key: string, deaths: number) {
      await admin.query(`UPDATE ${schema}.doorcode_inbox SET deaths = $2 WHERE key = $1`, [key, deaths]);
    },
  } satisfies InboxSetup;
}

/** Opens a file of its own. It is removed with the test. */
export async function setUpSqlite(options: EngineOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-inbox-"));
  const place = { kind: "sqlite", file: join(folder, "doorcode.sqlite"), transactional: false } as const;
  const engine = openEngine(place, options);
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });
  return {
    ...{ ...engine, place },
    endHolds: async () => endSqliteHolds(place.file),
    endLeases: async () => changeSqlite(place.file, "UPDATE doorcode_entries SET leased_until = 0"),
    setDeaths: async (key: string, deaths: number) =>
      changeSqlite(place.file, `UPDATE doorcode_inbox SET deaths = ${deaths} WHERE key = '${key}'`),
  } satisfies InboxSetup;
}

/** Ends the leases of the store, the holds of workers on entries, and the pauses before retries. */
export function endSqliteHolds(file: string): void {
  changeSqlite(
    file,
    "UPDATE doorcode_entries SET leased_until = 0; UPDATE doorcode_inbox SET due_at = 0 WHERE state = 'open'",
  );
}

function changeSqlite(file: string, statements: string): void {
  const database = openSqliteFile(file);
  try {
    database.exec(statements);
  } finally {
    database.close();
  }
}

/** Ends the leases of the store, the holds of workers on entries, and the pauses before retries. */
async function endPostgresHolds(pool: Pool, schema: string): Promise<void> {
  await endPostgresLeases(pool, `${schema}.doorcode_entries`);
  await endEntryHolds(pool, schema);
  await pool.query(`UPDATE ${schema}.doorcode_inbox SET due_at = now() WHERE holder IS NULL AND due_at > now()`);
}

/** Ends the holds of workers on entries, as if these workers had died long ago. */
export async function endEntryHolds(pool: Pool, schema: string): Promise<void> {
  await pool.query(`UPDATE ${schema}.doorcode_inbox SET due_at = due_at - interval '1 hour' WHERE holder IS NOT NULL`);
}

/** Ends the leases of the store, the locks of workers on jobs, and the pauses before retries. */
export async function endRedisHolds(admin: Redis, prefix: string): Promise<void> {
  await endRedisLeases(admin, prefix);
  const queue = `{${prefix}}:webhooks`;
  const locks = await admin.keys(`${queue}:*:lock`);
  if (locks.length > 0) await admin.unlink(locks);
  await moveStalledJobs(admin, queue);
  if ((await admin.zcard(`${queue}:delayed`)) > 0) await promoteJobs(admin, queue);
}

/** The part of BullMQ that the tests use. Only `packages/redis` depends on it, so its types are written out. */
interface BullMq {
  readonly Queue: new (name: string, options: object) => Opened & { promoteJobs(): Promise<void> };
  readonly Worker: new (
    name: string,
    processor: null,
    options: object,
  ) => Opened & { startStalledCheckTimer(): Promise<void> };
}

interface Opened {
  on(event: "error", listener: () => void): void;
  close(): Promise<void>;
}

const { Queue, Worker }: BullMq = createRequire(resolve(import.meta.dirname, "../../packages/redis/package.json"))(
  "bullmq",
);

/** Opens BullMQ on a queue whose keys begin so. */
function optionsOf({ options: { host, port, username, password, db } }: Redis, queue: string) {
  const [prefix = "", name = ""] = queue.split(":");
  return { name, options: { prefix, connection: { host, port, username, password, db } } };
}

async function promoteJobs(admin: Redis, queue: string): Promise<void> {
  const { name, options } = optionsOf(admin, queue);
  const opened = new Queue(name, options);
  opened.on("error", () => undefined);
  await opened.promoteJobs();
  await opened.close();
}

const maxLooks = 500;

/** Lets BullMQ look for stalled jobs now: its workers look once a second, and move a job only when they find it twice. */
async function moveStalledJobs(admin: Redis, queue: string): Promise<void> {
  const isStalled = async (id: string) => (await admin.exists(`${queue}:${id}:lock`)) === 0;
  const areStalled = async () =>
    (await Promise.all((await admin.lrange(`${queue}:active`, 0, -1)).map(isStalled))).includes(true);
  if (!(await areStalled())) return;
  const { name, options } = optionsOf(admin, queue);
  const looking = { autorun: false, stalledInterval: 1, maxStalledCount: Number.MAX_SAFE_INTEGER };
  const worker = new Worker(name, null, { ...options, ...looking });
  worker.on("error", () => undefined);
  await worker.startStalledCheckTimer();
  for (let looks = 0; looks < maxLooks && (await areStalled()); looks++) {
    // Set by a worker that looked less than a second ago.
    await admin.del(`${queue}:stalled-check`);
    await pause(2);
  }
  await worker.close();
}
