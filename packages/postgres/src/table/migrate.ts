import { parseOptions, strictOptions } from "@doorcode/core/store";
import type { Pool } from "pg";
import { checkOut, giveBack, refuseUnreachable, surviveIdleErrors } from "../connection/check-out.ts";
import { poolOption } from "../options.ts";
import { type MigrationOptions, writeMigration } from "./migration.ts";

const argumentsShape = strictOptions({ pool: poolOption });

/**
 * Creates the tables of the store and of the inbox, unless they exist.
 *
 * Any number of processes may call it at the same time, at every start: one creates the tables, the others wait for it. It leaves tables
 * that exist alone; only then may the role lack the right to create tables.
 *
 * @throws TypeError when `pool` is not a pool, or when an option is wrong.
 * @throws DoorcodeError `store_unavailable` when the pool gives no connection, saying what to check. Otherwise rejects with PostgreSQL's
 * error: with code `42P07` if a name is that of another table, or of another version of the table.
 */
export async function migrate(pool: Pool, options: MigrationOptions = {}): Promise<void> {
  parseOptions("migrate", argumentsShape, { pool });
  const sql = writeMigration("migrate", options);
  surviveIdleErrors(pool);
  const client = await checkOut(pool).catch(refuseUnreachable);
  let answered = false;
  try {
    // Under a lock, because two sessions that create a table at the same time fail on each other. A stricter isolation
    // level would see the tables as they were before the wait for that lock.
    await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
    await client.query("SELECT pg_advisory_xact_lock(hashtext('@doorcode/postgres'))");
    await client.query(sql);
    await client.query("COMMIT");
    answered = true;
  } finally {
    giveBack(client, { answered });
  }
}
