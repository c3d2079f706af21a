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
