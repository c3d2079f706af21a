import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "@doorcode/postgres";
import { Pool } from "pg";
import { openEngine, openSqliteFile, type Place, takeOverSeconds } from "../inbox/open-engine.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { endPostgresLeases } from "../support/postgres-time.ts";
import { startRedis } from "../support/redis-server.ts";
import { endRedisLeases } from "../support/redis-time.ts";

/** The server or the file that the processes share. */
export interface ChaosStore {
  readonly place: Place;
  /** Kills the server with `kill -9`. A file has none: another program takes it for itself, so that nobody can write. */
  kill(): Promise<void>;
  /** Starts the server again on the same port, with everything that it had acknowledged; or lets the file go. */
  restart(): Promise<void>;
  /**
   * Ends the leases and the holds on inbox entries that nobody has taken or renewed since an instant, Unix milliseconds.
   * Rejects while the store is away.
   */
  endHolds(before: number): Promise<void>;
  /** Answers the keys of the effects that were committed with their events, in their order; undefined where effects are keyed. */
  committed(): Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}

/** The length of every lease of the kit. */
const leaseMilliseconds = 15_000;

/** Starts a Redis that acknowledges nothing before it is on disk. */
export async function startRedisStore(): Promise<ChaosStore> {
  const server = await startRedis({ settings: ["--appendonly", "yes", "--appendfsync", "always"] });
  const prefix = "chaos";
  return {
    place: { kind: "redis", url: server.url, prefix },
    kill: () => server.kill(),
    restart: () => server.restart(),
    // BullMQ needs no help: its workers take a job over after some seconds.
    endHolds: (before) => endRedisLeases(server.admin, prefix, before + leaseMilliseconds),
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
  // Only the transaction prevents that an effect happens twice.
  await admin.query(`CREATE TABLE ${schema}.effects (key text, place bigserial)`);
  return {
    place: { kind: "postgres", url: server.url, schema, transactional: true },
    kill: () => server.kill(),
    restart: () => server.start(),
    async endHolds(before) {
      await endPostgresLeases(admin, `${schema}.doorcode_entries`, before + leaseMilliseconds);
      await admin.query(
        `UPDATE ${schema}.doorcode_inbox SET due_at = now()
         WHERE holder IS NOT NULL AND extract(epoch FROM due_at) * 1000 <= $1::float8`,
        [before + takeOverSeconds * 1000],
      );
    },
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

/** Creates a file of SQLite in which handlers write in the transaction that marks their event as handled. */
export async function startSqliteStore(): Promise<ChaosStore> {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-chaos-"));
  const place: Place = { kind: "sqlite", file: join(folder, "doorcode.sqlite"), transactional: true };
  const engine = openEngine(place);
  const taker = openSqliteFile(place.file);
  const admin = openSqliteFile(place.file);
  admin.exec("PRAGMA busy_timeout = 0");
  return {
    place,
    async kill() {
      taker.exec("BEGIN IMMEDIATE");
    },
    async restart() {
      taker.exec("COMMIT");
    },
    async endHolds(before) {
      admin
        .prepare("UPDATE doorcode_entries SET leased_until = 0 WHERE holder IS NOT NULL AND leased_until <= ?")
        .run(before + leaseMilliseconds);
      admin
        .prepare("UPDATE doorcode_inbox SET due_at = 0 WHERE holder IS NOT NULL AND due_at <= ?")
        .run(before + takeOverSeconds * 1000);
    },
    committed: engine.effects,
    async close() {
      await engine.close();
      for (const database of [taker, admin]) database.close();
      rmSync(folder, { recursive: true });
    },
  };
}
