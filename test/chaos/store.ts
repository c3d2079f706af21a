import { migrate } from "@doorcode/postgres";
import { Pool } from "pg";
import type { Place } from "../inbox/open-engine.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { startRedis } from "../support/redis-server.ts";

/** The server that the processes share, in the hands of the test. */
export interface ChaosStore {
  readonly place: Place;
  /** Ends it with `kill -9`. */
  kill(): Promise<void>;
  /** Brings it back on the same port, with all that it had acknowledged. */
  restart(): Promise<void>;
  /** The keys of the effects that were committed with their events, in their order; undefined where effects are keyed. */
  committed(): Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}

/** Starts a Redis that acknowledges nothing before it is on disk. */
export async function startRedisStore(): Promise<ChaosStore> {
  const server = await startRedis({ settings: ["--appendonly", "yes", "--appendfsync", "always"] });
  return {
    place: { kind: "redis", url: server.url, prefix: "chaos" },
    kill: () => server.kill(),
    restart: () => server.restart(),
    committed: async () => undefined,
    close: () => server.stop(),
  };
}

/** Starts a PostgreSQL in which handlers write in the transaction that marks their event as handled. */
export async function startPostgresStore(): Promise<ChaosStore> {
  const server = await startPostgres();
  const schema = "chaos";
  const admin = new Pool({ connectionString: server.url, max: 2 });
  admin.on("error", () => undefined);
  await migrate(admin, { schema });
  // Nothing but the transaction keeps an effect from standing twice.
  await admin.query(`CREATE TABLE ${schema}.effects (key text, place bigserial)`);
  return {
    place: { kind: "postgres", url: server.url, schema, transactional: true },
    kill: () => server.kill(),
    restart: () => server.start(),
    async committed() {
      const { rows } = await admin.query<{ key: string }>(`SELECT key FROM ${schema}.effects ORDER BY place`);
      return rows.map(({ key }) => key);
    },
    async close() {
      await admin.end();
      await server.close();
    },
  };
}
