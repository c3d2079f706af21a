import type { Pool } from "pg";

/**
 * Lets time pass for the entries of a store in a table of PostgreSQL.
 *
 * Moving every expiry back is the same as moving the server's clock on.
 *
 * @param primaryKeys - limits it to these entries.
 */
export async function passPostgresTime(
  pool: Pool,
  table: string,
  milliseconds: number,
  primaryKeys?: readonly string[],
): Promise<void> {
  await pool.query(
    `UPDATE ${table} SET expires_at = expires_at - $2::interval, leased_until = leased_until - $2::interval
     WHERE $1::bytea[] IS NULL OR key = ANY($1::bytea[])`,
    [primaryKeys, `${milliseconds} milliseconds`],
  );
}

/**
 * Ends the leases of the entries of a table, and leaves their lifetimes as they are.
 *
 * @param latest - Unix milliseconds: leases that would run out later stay. All end when left out.
 */
export async function endPostgresLeases(
  pool: Pool,
  table: string,
  latest: number = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await pool.query(
    `UPDATE ${table} SET leased_until = now() - interval '1 hour'
     WHERE extract(epoch FROM leased_until) * 1000 <= $1::float8`,
    [latest],
  );
}
