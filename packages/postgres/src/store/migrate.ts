import type { Pool, PoolClient } from "pg";
import { checkOut, giveBack, surviveIdleErrors } from "../connection/check-out.ts";
import { migration, tableVersion } from "./migration.ts";
import { nameTable, type TableOptions } from "./table.ts";

/**
 * Makes the table of the store, or finds it there.
 *
 * Any number of processes may call it at the same time, at every start: one makes the table, the others wait for it. A
 * table that is up to date is left alone, and only then may the role be one that must not create tables.
 *
 * @throws TypeError when `schema` or `table` is no name; else rejects with what PostgreSQL says
 */
export async function migrate(pool: Pool, options: TableOptions = {}): Promise<void> {
  const { name } = nameTable(options);
  surviveIdleErrors(pool);
  const client = await checkOut(pool);
  let answered = false;
  try {
    if (!(await isUpToDate(client, name))) await create(client, migration(options));
    answered = true;
  } finally {
    giveBack(client, { answered });
  }
}

/** Asked first, because `IF NOT EXISTS` wants the right to create even where there is nothing to do. */
async function isUpToDate(client: PoolClient, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: string | null }>(
    "SELECT obj_description(to_regclass($1), 'pg_class') AS found",
    [name],
  );
  return rows[0]?.found === tableVersion;
}

/** `IF NOT EXISTS` does not keep two sessions from failing on each other; the advisory lock does. */
async function create(client: PoolClient, sql: string): Promise<void> {
  await client.query("BEGIN");
  await client.query("SELECT pg_advisory_xact_lock(hashtext('@doorcode/postgres'))");
  await client.query(sql);
  await client.query("COMMIT");
}
