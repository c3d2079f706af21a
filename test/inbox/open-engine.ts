import { DatabaseSync } from "node:sqlite";
import type { WebhookEvent } from "@doorcode/core";
import type { EventTransactions, Inbox } from "@doorcode/core/inbox";
import type { Store } from "@doorcode/core/store";
import {
  createEventTransactions,
  createPostgresInbox,
  createPostgresStore,
  type EventTransactionScope,
  type PostgresInboxOptions,
} from "@doorcode/postgres";
import { type BullInboxOptions, createBullInbox, createRedisStore } from "@doorcode/redis";
import * as sqlite from "@doorcode/sqlite";
import { Redis } from "ioredis";
import { Pool } from "pg";

/** The server and the names of a store and an inbox. It is passed to child processes as JSON. */
export type Place =
  | { readonly kind: "redis"; readonly url: string; readonly prefix: string }
  | { readonly kind: "postgres"; readonly url: string; readonly schema: string; readonly transactional: boolean }
  | { readonly kind: "sqlite"; readonly file: string; readonly transactional: boolean };

/** Options of {@link openEngine}. */
export interface EngineOptions {
  readonly bull?: Partial<BullInboxOptions>;
  readonly postgres?: Partial<PostgresInboxOptions>;
  readonly sqlite?: Partial<sqlite.SqliteInboxOptions>;
}

/** What transactions add to the context of a handler, if there are any. */
export type EffectScope = Partial<EventTransactionScope & sqlite.EventTransactionScope>;

/** The store and the inbox of one process. */
export interface Engine {
  readonly store: Store;
  readonly inbox: Inbox;
  readonly transactions: EventTransactions<EffectScope> | undefined;
  /** The effect of a handler: records the event, in its transaction if there is one. */
  effect(event: WebhookEvent, scope: EffectScope): Promise<void>;
  /** Returns the keys of the events that had their effect, in order, as often as they had it. */
  effects(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Opens a store and an inbox. Closing them removes no data. */
export function openEngine(place: Place, options: EngineOptions = {}): Engine {
  switch (place.kind) {
    case "redis":
      return openRedis(place, options);
    case "postgres":
      return openPostgres(place, options);
    case "sqlite":
      return openSqlite(place, options);
  }
}

/** Appends a key to a list, unless it was appended before. */
const addOnce = `if redis.call('SADD', KEYS[1], ARGV[1]) == 1 then redis.call('RPUSH', KEYS[2], ARGV[1]) end`;

function openRedis({ url, prefix }: Extract<Place, { kind: "redis" }>, { bull }: EngineOptions): Engine {
  const client = new Redis(url, { maxRetriesPerRequest: 3, retryStrategy: () => 20 });
  client.on("error", () => undefined);
  const store = createRedisStore({ client, prefix });
  const inbox = createBullInbox({ client, prefix: `{${prefix}}`, takeOverSeconds: 1, ...bull });
  return {
    store,
    inbox,
    transactions: undefined,
    async effect({ key }) {
      await client.eval(addOnce, 2, `${prefix}effects`, `${prefix}order`, key);
    },
    effects: () => client.lrange(`${prefix}order`, 0, -1),
    async close() {
      await Promise.all([store.close?.(), inbox.close()]);
      client.disconnect();
    },
  };
}

/** A worker that is silent for this long counts as dead. PostgreSQL and SQLite allow no shorter time. */
export const takeOverSeconds = 10;

function openPostgres(
  { url, schema, transactional }: Extract<Place, { kind: "postgres" }>,
  { postgres }: EngineOptions,
): Engine {
  const [app, own] = [new Pool({ connectionString: url }), new Pool({ connectionString: url })];
  for (const pool of [app, own]) pool.on("error", () => undefined);
  const store = createPostgresStore({ pool: own, schema });
  const waiting = { pollSeconds: 0.05, takeOverSeconds };
  const inbox = createPostgresInbox({ pool: own, schema, ...waiting, ...postgres });
  return {
    store,
    inbox,
    transactions: transactional ? createEventTransactions({ pool: app, store }) : undefined,
    async effect({ key }, { client }) {
      // Within a transaction, only the transaction prevents a second effect.
      if (client) await client.query(`INSERT INTO ${schema}.effects (key) VALUES ($1)`, [key]);
      else await app.query(`INSERT INTO ${schema}.keyed_effects (key) VALUES ($1) ON CONFLICT DO NOTHING`, [key]);
    },
    async effects() {
      const table = transactional ? "effects" : "keyed_effects";
      const { rows } = await app.query<{ key: string }>(`SELECT key FROM ${schema}.${table} ORDER BY place`);
      return rows.map(({ key }) => key);
    },
    async close() {
      await Promise.all([store.close(), inbox.close()]);
      await Promise.all([app.end(), own.end()]);
    },
  };
}

/** Opens a file as another program does, and waits for others who write. The whole process waits. */
export function openSqliteFile(file: string, timeoutMilliseconds = 5000): DatabaseSync {
  return new DatabaseSync(file, { timeout: timeoutMilliseconds });
}

/** The tables of the app, in the file of the kit. */
const effectTables = `CREATE TABLE IF NOT EXISTS effects (place INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT);
  CREATE TABLE IF NOT EXISTS keyed_effects (place INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE)`;

function openSqlite(
  { file, transactional }: Extract<Place, { kind: "sqlite" }>,
  { sqlite: options }: EngineOptions,
): Engine {
  const { timeoutSeconds = 2 } = options ?? {};
  const store = sqlite.createSqliteStore({ file, timeoutSeconds });
  const inbox = sqlite.createSqliteInbox({ file, pollSeconds: 0.05, takeOverSeconds, ...options });
  const database = openSqliteFile(file, timeoutSeconds * 1000);
  database.exec(effectTables);
  return {
    store,
    inbox,
    transactions: transactional ? sqlite.createEventTransactions({ store }) : undefined,
    async effect({ key }, { write }) {
      // Within a transaction, only the transaction prevents a second effect.
      if (write) write((inside) => void inside.prepare("INSERT INTO effects (key) VALUES (?)").run(key));
      else database.prepare("INSERT OR IGNORE INTO keyed_effects (key) VALUES (?)").run(key);
    },
    async effects() {
      const table = transactional ? "effects" : "keyed_effects";
      return database
        .prepare(`SELECT key FROM ${table} ORDER BY place`)
        .all()
        .map(({ key }) => String(key));
    },
    async close() {
      await Promise.all([store.close(), inbox.close()]);
      if (database.isOpen) database.close();
    },
  };
}
