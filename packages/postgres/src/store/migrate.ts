import type { Pool, PoolClient } from "pg";
import { checkPool } from "../check-options.ts";
import { checkOut, giveBack, surviveIdleErrors } from "../connection/check-out.ts";
import { migration, tableVersion } from "./migration.ts";
import { nameTable, type TableOptions } from "./table.ts";

/**
 * Makes the table of the store, or finds it there.
 *
 * Any number of processes may call it at the same time, at every start: one makes the table, the others wait for it. A
 * table that is up to date is left alone, and only then may the role be one that must not create tables.
 *
 * @throws TypeError when `pool` is no pool, `schema` or `table` is no name, or the database is not in UTF8; else rejects
 * with what PostgreSQL says
 */
export async function migrate(pool: Pool, options: TableOptions = {}): Promise<void> {
  checkPool("migrate", pool);
  const { name } = nameTable(options);
  surviveIdleErrors(pool);
  const client = await checkOut(pool);
  let answered = false;
  try {
    const found = await look(client, name);
    refuseNarrow(found?.encoding);
    if (found?.version !== tableVersion) await create(client, migration(options));
    answered = true;
  } finally {
    giveBack(client, { answered });
  }
}

/** What stands in the database, and how. */
interface Found {
  readonly encoding: string;
  /** Of the table; null where there is none. */
  readonly version: string | null;
}

/** Asked first, because `IF NOT EXISTS` wants the right to create even where there is nothing to do. */
async function look(client: PoolClient, name: string): Promise<Found | undefined> {
  const { rows } = await client.query<Found>(
    "SELECT obj_description(to_regclass($1), 'pg_class') AS version, current_setting('server_encoding') AS encoding",
    [name],
  );
  return rows[0];
}

/** Any other encoding lacks characters that names and texts of messages have. */
function refuseNarrow(encoding: string | undefined): void {
  if (encoding === "UTF8") return;
  throw new TypeError(
    `migrate: the database is in ${encoding}, which cannot hold every text: make one with createdb --encoding=UTF8 --template=template0.`,
  );
}

/** `IF NOT EXISTS` does not keep two sessions from failing on each other; the advisory lock does. */
async function create(client: PoolClient, sql: string): Promise<void> {
  await client.query("BEGIN");
  await client.query("SELECT pg_advisory_xact_lock(hashtext('@doorcode/postgres'))");
  await client.query(sql);
  await client.query("COMMIT");
}
