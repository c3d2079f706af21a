import { randomUUID } from "node:crypto";
import { createPostgresStore, migrate, type PostgresStore, type PostgresStoreOptions } from "@doorcode/postgres";
import { Pool, type PoolClient, type PoolConfig } from "pg";
import { onTestFinished } from "vitest";
import { passPostgresTime } from "../support/postgres-time.ts";

/** A store in a schema of its own. */
export interface PostgresBench {
  readonly pool: Pool;
  readonly store: PostgresStore;
  readonly schema: string;
  /** The table, as SQL names it. */
  readonly table: string;
  /** Lets time pass for everything in the table: it is the same whether now moves on or every instant moves back. */
  advance(milliseconds: number): Promise<void>;
  /** Checks out a client that ends with the test. */
  client(): Promise<PoolClient>;
}

/** What a test wants otherwise. */
export interface BenchOptions {
  readonly pool?: PoolConfig;
  readonly store?: Partial<PostgresStoreOptions>;
}

/** Opens a store, without caring for its end. */
export async function openBench(url: string, { pool: config, store }: BenchOptions = {}) {
  const schema = `doorcode_test_${randomUUID().replaceAll("-", "")}`;
  const table = `${schema}.doorcode_entries`;
  const admin = new Pool({ connectionString: url, max: 5 });
  admin.on("error", () => undefined);
  const pool = new Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 5000, ...config });
  await migrate(admin, { schema });
  const bench: PostgresBench = {
    pool,
    store: createPostgresStore({ pool, schema, timeoutSeconds: 20, ...store }),
    schema,
    table,
    advance: (milliseconds) => passPostgresTime(admin, table, milliseconds),
    async client() {
      const client = await admin.connect();
      client.on("error", () => undefined);
      onTestFinished(() => client.release(true));
      return client;
    },
  };
  async function close(): Promise<void> {
    await pool.end();
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  }
  return { ...bench, close };
}

/** Opens a store that is gone when the test is over. */
export async function setUpBench(url: string, options?: BenchOptions): Promise<PostgresBench> {
  const { close, ...bench } = await openBench(url, options);
  onTestFinished(close);
  return bench;
}
