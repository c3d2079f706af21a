import { randomUUID } from "node:crypto";
import { migrate } from "@doorcode/postgres";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { onTestFinished } from "vitest";
import { findPostgres, startPglite } from "../support/postgres-server.ts";
import { findRedis, isInstalled, type RunningRedis, startRedis } from "../support/redis-server.ts";
import { type Engine, type EngineOptions, openEngine, type Place } from "./open-engine.ts";

/** A place of a test's own. */
export interface InboxBench extends Engine {
  readonly place: Place;
  /** Lets everything that a dead worker held run out: leases of the store, and its hold on entries of the inbox. */
  passTime(): Promise<void>;
}

/** An engine on which the inbox is tested. */
export interface TestedEngine {
  readonly name: string;
  setUp(options?: EngineOptions): Promise<InboxBench>;
  close(): Promise<void>;
}

/** Finds the engines of the machine that serve several processes. */
export async function findEngines({ transactional = false } = {}): Promise<readonly TestedEngine[]> {
  const redis = await findRedis();
  const postgres = await findPostgres();
  const engines: TestedEngine[] = [];
  if (redis) engines.push(createRedisEngine("Redis", redis));
  if (postgres) {
    const setUp = (options?: EngineOptions) => setUpPostgres(postgres.url, transactional, options);
    engines.push({ name: "PostgreSQL", setUp, close: postgres.close });
  }
  return engines;
}

/** Starts Valkey, for what is worth a second run; a list, which is empty where it is not installed. */
export async function findValkey(): Promise<readonly TestedEngine[]> {
  if (!isInstalled("valkey-server")) return [];
  const { url, stop } = await startRedis({ binary: "valkey-server" });
  return [createRedisEngine("Valkey", { url, close: stop })];
}

/** Starts the engine that runs on every machine. */
export async function startPgliteEngine(): Promise<TestedEngine> {
  const { url, close } = await startPglite();
  return { name: "PGlite", setUp: (options) => setUpPostgres(url, false, options), close };
}

function createRedisEngine(name: string, server: RunningRedis): TestedEngine {
  return { name, setUp: (options) => setUpRedis(server, options), close: server.close };
}

/** Sets up a place on a server of Redis, which may be somebody else's; it is gone with the test. */
async function setUpRedis(server: RunningRedis, options: EngineOptions = {}): Promise<InboxBench> {
  const place: Place = { kind: "redis", url: server.url, prefix: `t${randomUUID().slice(0, 8)}` };
  const engine = openEngine(place, options);
  const admin = new Redis(server.url);
  onTestFinished(async () => {
    await engine.close();
    const left = [...(await admin.keys(`${place.prefix}*`)), ...(await admin.keys(`{${place.prefix}}*`))];
    if (left.length > 0) await admin.unlink(left);
    admin.disconnect();
  });
  return {
    ...engine,
    place,
    async passTime() {
      for (const key of await admin.keys(`${place.prefix}*`)) {
        if ((await admin.type(key)) === "hash" && (await admin.hexists(key, "u"))) await admin.hset(key, "u", 1);
      }
      for (const lock of await admin.keys(`{${place.prefix}}:*:lock`)) await admin.del(lock);
    },
  };
}

/** Sets up a place on a PostgreSQL; it is gone with the test. */
async function setUpPostgres(url: string, transactional: boolean, options: EngineOptions = {}): Promise<InboxBench> {
  const schema = `doorcode_test_${randomUUID().slice(0, 8)}`;
  const place: Place = { kind: "postgres", url, schema, transactional };
  const admin = new Pool({ connectionString: url, max: 2 });
  await migrate(admin, { schema });
  await admin.query(`CREATE TABLE ${schema}.effects (key text, place bigserial);
    CREATE TABLE ${schema}.keyed_effects (key text PRIMARY KEY, place bigserial)`);
  const engine = openEngine(place, options);
  onTestFinished(async () => {
    await engine.close();
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  });
  return {
    ...engine,
    place,
    async passTime() {
      await admin.query(`UPDATE ${schema}.doorcode_entries SET leased_until = leased_until - interval '1 hour'`);
      await endHolds(admin, schema);
    },
  };
}

/** Ends the holds of workers on their entries, as if they had died long ago. */
export async function endHolds(pool: Pool, schema: string): Promise<void> {
  await pool.query(`UPDATE ${schema}.doorcode_inbox SET due_at = due_at - interval '1 hour' WHERE holder IS NOT NULL`);
}
