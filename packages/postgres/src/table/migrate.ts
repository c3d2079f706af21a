import { readOptions } from "@doorcode/core/store";
import type { Pool, PoolClient } from "pg";
import { poolRule } from "../check-options.ts";
import { checkOut, giveBack, refuseUnreachable, surviveIdleErrors } from "../connection/check-out.ts";
import { type MigrationOptions, migration, nameTables, type Tables, tableVersions } from "./migration.ts";

/**
 * Creates the tables of the store and of the inbox, unless they exist. A table of the store of version 1 keeps its entries.
 *
 * Any number of processes may call it at the same time, at every start: one creates the tables, the others wait for it.
 * It leaves tables that are up to date alone; only then may the role lack the right to create tables.
 *
 * @throws TypeError when `pool` is not a pool, when an option is wrong, or when the encoding of the database is not UTF8.
 * @throws DoorcodeError `store_unavailable` when the pool gives no connection, saying what to check.
 * Otherwise rejects with PostgreSQL's error: with code `42P07` if a name is that of another table, or of another version of the
 * table.
 */
export async function migrate(pool: Pool, options: MigrationOptions = {}): Promise<void> {
  readOptions("migrate", { pool: poolRule }, { pool });
  const tables = nameTables("migrate", options);
  surviveIdleErrors(pool);
  const client = await checkOut(pool).catch(refuseUnreachable);
  let answered = false;
  try {
    const found = await look(client, tables);
    refuseNarrowEncoding(found?.encoding);
    const isCurrent = found?.store === tableVersions.store && found.inbox === tableVersions.inbox;
    if (!isCurrent) await create(client, migration(options));
    answered = true;
  } finally {
    giveBack(client, { answered });
  }
}

/** The encoding of the database, and the versions of the tables that exist. */
interface Found {
  readonly encoding: string;
  readonly store: string | null;
  readonly inbox: string | null;
}

/** Looks before creating, because `IF NOT EXISTS` needs the right to create even when nothing has to be done. */
async function look(client: PoolClient, { store, inbox }: Tables): Promise<Found | undefined> {
  const { rows } = await client.query<Found>(
    `SELECT current_setting('server_encoding') AS encoding,
  obj_description(to_regclass($1), 'pg_class') AS store, obj_description(to_regclass($2), 'pg_class') AS inbox`,
    [store.name, inbox.name],
  );
  return rows[0];
}

/** Refuses any other encoding: it lacks characters that names and texts of messages have. */
function refuseNarrowEncoding(encoding: string | undefined): void {
  if (encoding === "UTF8") return;
  throw new TypeError(
    `migrate: the encoding of the database is ${encoding}, which cannot hold every text: create one with createdb --encoding=UTF8 --template=template0.`,
  );
}

/**
 * Runs the SQL under an advisory lock, because two sessions that create a table at once fail on each other. A stricter isolation level
 * would look at the tables as they were before the wait for that lock.
 *
 * To rewrite a table, and to wait for another process that does, takes longer than the time limits that the store's statements should
 * have. The limit of the wait for the table itself stays, because all other statements wait behind it.
 */
async function create(client: PoolClient, sql: string): Promise<void> {
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  await client.query("SET LOCAL statement_timeout = 0");
  await client.query("SET LOCAL lock_timeout = 0");
  await client.query("SELECT pg_advisory_xact_lock(hashtext('@doorcode/postgres'))");
  await client.query("SET LOCAL lock_timeout TO DEFAULT");
  await client.query(sql);
  await client.query("COMMIT");
}
