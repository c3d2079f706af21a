import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WebhookEvent, WebhookHandler } from "@doorcode/core";
import type { Clock } from "@doorcode/core/store";
import { createEventTransactions, type EventTransactionScope, type PostgresStore } from "@doorcode/postgres";
import * as sqlite from "@doorcode/sqlite";
import type { Pool } from "pg";
import { onTestFinished } from "vitest";
import { setUpStore } from "../stores/postgres-setup.ts";
import { host } from "../support/hosts.ts";
import { setUpWebhooks } from "../support/webhook-setup.ts";
import { openSqliteFile } from "./open-engine.ts";

/** Options of {@link openOnPostgres}. */
export interface Wishes {
  readonly appPool?: Pool;
  readonly handlerSeconds?: number;
  /** The clock of the transactions; the machine's when left out. */
  readonly transactionClock?: Clock;
  /** The first statement of the handler. */
  readonly opening?: string;
  /** Wraps the store. */
  readonly around?: (store: PostgresStore) => PostgresStore;
}

/** An app without an inbox whose handlers run in transactions. */
export async function openOnPostgres(
  url: string,
  handle: WebhookHandler<WebhookEvent, EventTransactionScope>,
  { appPool, handlerSeconds = 60, transactionClock, opening, around = (store) => store }: Wishes = {},
) {
  const { pool, schema, table, advance, ...setup } = await setUpStore(url);
  const store = around(setup.store);
  await pool.query(`CREATE TABLE ${schema}.effects (key text UNIQUE DEFERRABLE INITIALLY DEFERRED)`);
  const { deliver, events, clock } = await setUpWebhooks<EventTransactionScope>(host, {
    name: "doorcode",
    store,
    handlerSeconds,
    transactions: createEventTransactions({
      pool: appPool ?? pool,
      store,
      ...(transactionClock && { clock: transactionClock }),
    }),
    async handle(event, context) {
      if (opening !== undefined) await context.client.query(opening);
      await context.client.query(`INSERT INTO ${schema}.effects VALUES ($1)`, [event.key]);
      await handle(event, context);
    },
  });
  const effects = async () => (await pool.query(`SELECT key FROM ${schema}.effects`)).rowCount;
  return { deliver, effects, events, clock, store, pool, schema, table, endLeases: () => advance(15_000) };
}

/** A file with tables of the app. It is removed with the test. */
export function openTransactionFile() {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-transactions-"));
  const store = sqlite.createSqliteStore({ file: join(folder, "doorcode.sqlite"), timeoutSeconds: 0.2 });
  const database = openSqliteFile(store.file);
  database.exec(`CREATE TABLE effects (key TEXT UNIQUE);
    CREATE TABLE users (id INTEGER PRIMARY KEY);
    CREATE TABLE notes (user_id INTEGER REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE secrets (phone TEXT);
    CREATE TRIGGER refuse BEFORE INSERT ON secrets BEGIN SELECT RAISE(ABORT, '+4915112345678 is refused'); END`);
  onTestFinished(async () => {
    await store.close();
    database.close();
    rmSync(folder, { recursive: true });
  });
  return { store, database };
}

/** An app without an inbox whose handler writes the key of its event, and then does what the test says. */
export async function openOnSqlite(
  handle: WebhookHandler<WebhookEvent, sqlite.EventTransactionScope>,
  { handlerSeconds = 60 } = {},
) {
  const { store, database } = openTransactionFile();
  const { deliver, events, clock } = await setUpWebhooks<sqlite.EventTransactionScope>(host, {
    name: "doorcode",
    store,
    handlerSeconds,
    transactions: sqlite.createEventTransactions({ store }),
    async handle(event, context) {
      context.write((inside) => void inside.prepare("INSERT INTO effects VALUES (?)").run(event.key));
      await handle(event, context);
    },
  });
  const effects = async () => database.prepare("SELECT key FROM effects").all().length;
  const endLeases = async () => database.exec("UPDATE doorcode_entries SET leased_until = 0");
  return { deliver, effects, events, clock, store, database, endLeases };
}
