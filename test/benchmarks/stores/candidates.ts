import { randomUUID } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createMemoryStore } from "@doorcode/core";
import type { Inbox } from "@doorcode/core/inbox";
import type { CounterChange, Store } from "@doorcode/core/store";
import { createPostgresInbox, createPostgresStore, migrate } from "@doorcode/postgres";
import { createBullInbox, createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { Client, Pool } from "pg";
import { postgresKey } from "../../support/postgres-key.ts";
import { findPostgres, startPglite } from "../../support/postgres-server.ts";
import { isInstalled, startRedis } from "../../support/redis-server.ts";

/** What one pending login left in a store. */
export interface PendingLogin {
  readonly values: readonly { readonly key: string; readonly value: string; readonly ttlSeconds: number }[];
  readonly counters: readonly CounterChange[];
}

/** A store under measurement. */
export interface Candidate {
  readonly name: string;
  readonly store: Store;
  /** Leaves as much as a pending login did, for each number from `from` up to `to`, under keys of their own. */
  multiply(login: PendingLogin, from: number, to: number): Promise<void>;
  /** Creates an inbox on the same server; a store in memory has none. */
  createInbox?(): Inbox;
  /** Ends the connections of the store, as a server does that restarts; a store in memory has none. */
  breakConnections?(): Promise<void>;
  /** What all of it takes, on the store's own account. */
  bytes(): Promise<number>;
  close(): Promise<void>;
}

/** Opens a store with a server of its own, unless this machine has none. */
export type OpenCandidate = () => Promise<Candidate | { readonly missing: string }>;

/** The stores by name. They are opened one after the other, or in a process each, so that none disturbs another. */
export const candidates: Readonly<Record<"memory" | "Redis" | "PostgreSQL", OpenCandidate>> = {
  memory: openMemory,
  Redis: openRedis,
  PostgreSQL: openPostgres,
};

const digits = 8;

/** A key like another, of the same length, for one of many. */
function numbered(key: string, index: number): string {
  return copied(key.slice(0, -digits) + index.toString(16).padStart(digits, "0"));
}

/** Text of its own, as it comes from a request: V8 would share with the original what is the same. */
function copied(text: string): string {
  return Buffer.from(text).toString();
}

async function openMemory(): Promise<Candidate> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const store = createMemoryStore({ maxEntries: 10_000_000 });
  return {
    name: "memory",
    store,
    multiply: (login, from, to) => multiplyByVerbs(store, login, from, to),
    async bytes() {
      // What the first collection finalizes, the second one frees.
      collect();
      collect();
      return process.memoryUsage().heapUsed;
    },
    close: async () => undefined,
  };
}

/** True if this machine can start a Redis. */
export const hasRedis: boolean = isInstalled("redis-server");

async function openRedis(): Promise<Candidate | { readonly missing: string }> {
  if (!hasRedis) return { missing: "Redis: there is no redis-server on the PATH" };
  const server = await startRedis();
  const client = new Redis(server.url);
  const store = createRedisStore({ client });
  const [, version = ""] = (await client.info("server")).match(/redis_version:(\S+)/) ?? [];
  return {
    name: `Redis ${version}`,
    store,
    createInbox: () => createBullInbox({ client }),
    async breakConnections() {
      const admin = new Redis(server.url);
      await admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      admin.disconnect();
    },
    multiply: (login, from, to) => multiplyInRedis(client, login, from, to),
    async bytes() {
      const [, used = "0"] = (await client.info("memory")).match(/used_memory:(\d+)/) ?? [];
      return Number(used);
    },
    async close() {
      client.disconnect();
      await store.close?.();
      await server.stop();
    },
  };
}

const batch = 500;

async function multiplyByVerbs(store: Store, login: PendingLogin, from: number, to: number): Promise<void> {
  const one = (index: number) => [
    ...login.values.map(({ key, value, ttlSeconds }) => store.put(numbered(key, index), copied(value), { ttlSeconds })),
    store.increment(login.counters.map((counter) => ({ ...counter, key: numbered(counter.key, index) }))),
  ];
  for (let first = from; first < to; first += batch) {
    const indexes = Array.from({ length: Math.min(batch, to - first) }, (_, index) => first + index);
    await Promise.all(indexes.flatMap(one));
  }
}

/** Redis copies its own keys: to send a million logins over a connection takes minutes. */
const copyKeys = `
for place = tonumber(ARGV[1]), tonumber(ARGV[2]) - 1 do
  for _, key in ipairs(KEYS) do
    redis.call("COPY", key, string.sub(key, 1, -${digits + 1}) .. string.format("%0${digits}x", place))
  end
end`;

async function multiplyInRedis(
  client: Redis,
  { values, counters }: PendingLogin,
  from: number,
  to: number,
): Promise<void> {
  const keys = [...values, ...counters].map(({ key }) => key);
  for (let first = from; first < to; first += batch) {
    await client.eval(copyKeys, keys.length, ...keys, first, Math.min(first + batch, to));
  }
}

async function openPostgres(): Promise<Candidate> {
  const server = (await findPostgres()) ?? (await startPglite());
  const schema = `doorcode_bench_${randomUUID().replaceAll("-", "")}`;
  const table = `${schema}.doorcode_entries`;
  const pool = new Pool({ connectionString: server.url, max: 10, application_name: schema });
  pool.on("error", () => undefined);
  await migrate(pool, { schema });
  const columns = "count, expires_at, leased_until, granted, holder, value";
  const { rows } = await pool.query<{ version: string }>("SELECT split_part(version(), ' ', 2) AS version");
  return {
    name: `${server.name}, ${rows[0]?.version}`,
    store: createPostgresStore({ pool, schema, timeoutSeconds: 20 }),
    createInbox: () => createPostgresInbox({ pool, schema }),
    async breakConnections() {
      const admin = new Client({ connectionString: server.url });
      await admin.connect();
      await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [schema]);
      await admin.end();
    },
    async multiply({ values, counters }, from, to) {
      const keys = [...values, ...counters].map(({ key }) => postgresKey(key));
      await pool.query(
        `INSERT INTO ${table} (key, ${columns})
SELECT sha256(gen_random_uuid()::text::bytea), ${columns} FROM ${table}, generate_series(1, $2::int)
WHERE key = ANY($1::bytea[])`,
        [keys, to - from],
      );
      await pool.query(`ANALYZE ${table}`);
    },
    async bytes() {
      const { rows: sizes } = await pool.query<{ bytes: string }>("SELECT pg_total_relation_size($1) AS bytes", [
        table,
      ]);
      return Number(sizes[0]?.bytes);
    },
    async close() {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
      await server.close();
    },
  };
}
