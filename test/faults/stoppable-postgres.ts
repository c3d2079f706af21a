import { randomUUID } from "node:crypto";
import { createPostgresStore, migrate } from "@doorcode/postgres";
import { Pool } from "pg";
import { onTestFinished } from "vitest";
import { type InboxSetup, setUpPostgres } from "../inbox/inbox-setup.ts";
import { untilAnswered } from "../support/poll.ts";
import { canStartPostgres, startPostgres } from "../support/postgres-server.ts";
import { endPostgresLeases } from "../support/postgres-time.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import type {
  OwnEngineOptions,
  OwnStore,
  OwnStoreOptions,
  Proxied,
  ServerKind,
  StoppableServer,
} from "./stoppable-server.ts";

/** PostgreSQL, where its programs are installed. */
export const stoppablePostgres: ServerKind<StoppableServer> = {
  name: "PostgreSQL",
  isInstalled: canStartPostgres(),
  async open() {
    // Its errors tell the client what was in the statement.
    const { stop, kill, start, close, url } = await startPostgres(["log_parameter_max_length_on_error=-1"]);
    return {
      ...{ stop, kill, start, close },
      readsGoOn: false,
      openStore: (options) => openStore(url, options),
      openEngine: (options) => openOwnEngine(url, options),
    };
  },
};

async function openStore(
  url: string,
  { direct = false, ...options }: OwnStoreOptions = {},
): Promise<OwnStore & Proxied> {
  const proxy = await startTcpProxy(url);
  onTestFinished(proxy.close);
  const schema = `t${randomUUID().slice(0, 8)}`;
  const admin = new Pool({ connectionString: url, max: 1 });
  // A server that stops sends an error to every client.
  admin.on("error", () => undefined);
  await migrate(admin, { schema });
  const pool = new Pool({ connectionString: direct ? url : proxy.url, idleTimeoutMillis: 0 });
  await openConnections(pool);
  const store = createPostgresStore({ pool, schema, ...options });
  onTestFinished(async () => {
    await store.close();
    await Promise.all([pool.end(), admin.end()]);
  });
  return {
    ...{ store, proxy },
    ready: () => untilAnswered(() => store.get(["probe"])),
    endLeases: () => endPostgresLeases(admin, `${schema}.doorcode_entries`),
  };
}

/**
 * Opens as many connections as a request can need at once, beside the announcement of the request before it: while a
 * test holds answers, a new connection could not even send its statement.
 */
async function openConnections(pool: Pool): Promise<void> {
  const clients = await Promise.all(Array.from({ length: Math.min(4, pool.options.max) }, () => pool.connect()));
  for (const client of clients) client.release();
}

async function openOwnEngine(
  url: string,
  { proxied = false, ...options }: OwnEngineOptions = {},
): Promise<InboxSetup & Proxied> {
  const proxy = await startTcpProxy(url);
  onTestFinished(proxy.close);
  return { ...(await setUpPostgres(url, options, proxied ? proxy.url : url)), proxy };
}
