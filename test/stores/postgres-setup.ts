import { randomUUID } from "node:crypto";
import { createPostgresStore, migrate, type PostgresStore, type PostgresStoreOptions } from "@doorcode/postgres";
import { Pool, type PoolClient, type PoolConfig } from "pg";
import { onTestFinished } from "vitest";
import { passPostgresTime } from "../support/postgres-time.ts";

/** A store in a schema of its own. */
export interface PostgresSetup {
  readonly pool: Pool;
  readonly store: PostgresStore;
  readonly schema: string;
  /** The table, as SQL names it. */
  readonly table: string;
  /** Lets time pass for every entry, by moving all its instants back. */
  advance(milliseconds: number): Promise<void>;
  /** Checks out a client that is closed with the test. */
  client(): Promise<PoolClient>;
}

/** The options of a test's store. */
export interface SetupOptions {
  readonly pool?: PoolConfig;
  readonly store?: Partial<PostgresStoreOptions>;
}

/** Opens a store; the caller closes it. */
export async function openStore(url: string, { pool: config, store }: SetupOptions = {}) {
  const schema = `doorcode_test_${randomUUID().replaceAll("-", "")}`;
  const table = `${schema}.doorcode_entries`;
  const admin = new Pool({ connectionString: url, max: 5 });
  admin.on("error", () => undefined);
  const pool = new Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 5000, ...config });
  await migrate(admin, { schema });
  const setup: PostgresSetup = {
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
    await setup.store.close();
    // A test may have ended it.
    if (!pool.ending) await pool.end();
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  }
  return { ...setup, close };
}

/** Opens a store that is removed with the test. */
export async function setUpStore(url: string, options?: SetupOptions): Promise<PostgresSetup> {
  const { close, ...setup } = await openStore(url, options);
  onTestFinished(close);
  return setup;
}
