import { randomUUID } from "node:crypto";
import { createPostgresStore, migrate } from "@doorcode/postgres";
import { Pool } from "pg";
import { noteKeys, postgresKey } from "./postgres-key.ts";
import { findPostgres, startPglite } from "./postgres-server.ts";
import { passPostgresTime } from "./postgres-time.ts";
import { createClients, type TestedStore } from "./tested-store.ts";

/** Opens the PostgreSQL that the tests may use, else PGlite, with its own table. */
export async function openTestedPostgres(): Promise<TestedStore> {
  const found = await findPostgres();
  const server = found ?? (await startPglite());
  const schema = `doorcode_test_${randomUUID().replaceAll("-", "")}`;
  const table = `${schema}.doorcode_entries`;
  const admin = new Pool({ connectionString: server.url, max: 1 });
  await migrate(admin, { schema });
  const clients = createClients(() => {
    const pool = new Pool({ connectionString: server.url });
    // The maximum: these tests do not measure how fast a busy machine answers.
    return {
      pool,
      store: createPostgresStore({ pool, schema, timeoutSeconds: 60 }),
    };
  });

  return {
    name: found ? "PostgreSQL" : server.name,
    openEntries(appName) {
      const take = clients.take();
      const noted = new Set<string>();
      const ownKeys = () => [...noted].filter((key) => key.startsWith(`${appName}:`)).map(postgresKey);
      return {
        connect: () => noteKeys(take().store, noted),
        passTime: (milliseconds) => passPostgresTime(admin, table, milliseconds, ownKeys()),
        async countEntries() {
          const alive = `SELECT FROM ${table} WHERE key = ANY($1::bytea[]) AND expires_at > clock_timestamp()`;
          return (await admin.query(alive, [ownKeys()])).rowCount ?? 0;
        },
      };
    },
    async close() {
      await Promise.all(clients.all().map(({ store }) => store.close()));
      await Promise.all(clients.all().map(({ pool }) => pool.end()));
      await admin.query(`DROP SCHEMA ${schema} CASCADE`);
      await admin.end();
      await server.close();
    },
  };
}
