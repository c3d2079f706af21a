import { randomUUID } from "node:crypto";
import { createPostgresStore, migrate } from "@doorcode/postgres";
import { Pool } from "pg";
import { onTestFinished } from "vitest";
import { endHolds } from "../inbox/inbox-bench.ts";
import { openEngine } from "../inbox/open-engine.ts";
import { canStartPostgres, type OwnPostgres, startPostgres } from "../support/postgres-server.ts";
import { type CommandWire, startCommandWire } from "./command-wire.ts";
import type { Ground, GroundKind, OwnEngine, OwnEngineOptions, WiredStore, WiredStoreOptions } from "./ground.ts";
import { succeeds } from "./patience.ts";
import { postgresProtocol } from "./protocols.ts";

/** A PostgreSQL of the tests' own. */
export interface PostgresGround extends Ground {
  readonly server: OwnPostgres;
  openStore(options?: WiredStoreOptions): Promise<PostgresWiredStore>;
}

/** A store on it. */
export interface PostgresWiredStore extends WiredStore {
  /** Its table, as SQL names it. */
  readonly table: string;
  /** Connections of somebody who has no part in the app. */
  readonly admin: Pool;
}

/** PostgreSQL, where its programs are installed. */
export const postgresKind: GroundKind<PostgresGround> = {
  name: "PostgreSQL",
  isThere: canStartPostgres(),
  async open() {
    // Its errors tell whoever asked what was in the statement.
    const server = await startPostgres(["log_parameter_max_length_on_error=-1", "deadlock_timeout=50ms"]);
    const { stop, kill, start, close, url } = server;
    return {
      server,
      stop,
      kill,
      start,
      close,
      openStore: (options) => openStore(url, options),
      openEngine: (options) => openOwnEngine(url, options),
    };
  },
};

async function openStore(
  url: string,
  { timeoutSeconds = 2, direct = false, pool: config }: WiredStoreOptions = {},
): Promise<PostgresWiredStore> {
  const { wire, url: wired } = await startWire(url);
  const { admin, schema } = await openSchema(url);
  const pool = new Pool({ connectionString: direct ? url : wired, ...config });
  onTestFinished(() => pool.end());
  const store = createPostgresStore({ pool, schema, timeoutSeconds });
  return {
    store,
    wire,
    admin,
    table: `${schema}.doorcode_entries`,
    ready: () => succeeds(() => store.get(["probe"])),
    endLeases: () => endLeases(admin, schema),
  };
}

async function startWire(url: string): Promise<{ readonly wire: CommandWire; readonly url: string }> {
  const target = new URL(url);
  const wire = await startCommandWire(Number(target.port), postgresProtocol);
  onTestFinished(wire.close);
  target.port = `${wire.port}`;
  return { wire, url: target.href };
}

/** Makes a schema with the table of the store, and somebody who looks into it. */
async function openSchema(url: string): Promise<{ readonly admin: Pool; readonly schema: string }> {
  const schema = `t${randomUUID().slice(0, 8)}`;
  const admin = new Pool({ connectionString: url, max: 1 });
  // Whoever is connected to a server that ends is told.
  admin.on("error", () => undefined);
  onTestFinished(() => admin.end());
  await migrate(admin, { schema });
  return { admin, schema };
}

async function openOwnEngine(
  url: string,
  { transactional = false, wired = false, ...options }: OwnEngineOptions = {},
): Promise<OwnEngine> {
  const { wire, url: wiredUrl } = await startWire(url);
  const { admin, schema } = await openSchema(url);
  await admin.query(`CREATE TABLE ${schema}.effects (key text, place bigserial);
    CREATE TABLE ${schema}.keyed_effects (key text PRIMARY KEY, place bigserial)`);
  const open = (at: string) => {
    const engine = openEngine({ kind: "postgres", url: at, schema, transactional }, options);
    onTestFinished(engine.close);
    return engine;
  };
  return {
    ...open(wired ? wiredUrl : url),
    wire,
    openAnother: () => open(url),
    async passTime() {
      await endLeases(admin, schema);
      await endHolds(admin, schema);
    },
  };
}

async function endLeases(admin: Pool, schema: string): Promise<void> {
  await admin.query(`UPDATE ${schema}.doorcode_entries SET leased_until = leased_until - interval '1 hour'`);
}
