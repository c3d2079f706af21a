import type { Pool } from "pg";

/**
 * Lets time pass for the entries of a store in a table of PostgreSQL.
 *
 * Moving every expiry back is the same as moving the server's clock on.
 *
 * @param keyPrefix - limits it to the entries whose keys begin so.
 */
export async function passPostgresTime(
  pool: Pool,
  table: string,
  milliseconds: number,
  keyPrefix: string = "",
): Promise<void> {
  await pool.query(
    `UPDATE ${table} SET expires_at = expires_at - $2::interval, leased_until = leased_until - $2::interval
     WHERE starts_with(key, $1)`,
    [keyPrefix, `${milliseconds} milliseconds`],
  );
}

/** Ends every lease of the entries of a table, and leaves their lifetimes as they are. */
export async function endPostgresLeases(pool: Pool, table: string): Promise<void> {
  await pool.query(`UPDATE ${table} SET leased_until = leased_until - interval '1 hour'`);
}
