import { nameTable, type Table, type TableOptions } from "./table.ts";

/** Stands as a comment on the table; grows with every change of it. */
export const tableVersion = "Doorcode store, version 1";

/**
 * Writes the SQL that makes the table of the store, for a migration tool of your own; {@link migrate} runs the same.
 *
 * It may run again, and leaves a table that is there as it is.
 *
 * @throws TypeError when `schema` or `table` is no name
 * @example
 * import { migration } from "@doorcode/postgres";
 * process.stdout.write(migration({ schema: "doorcode" }));
 */
export function migration(options: TableOptions = {}): string {
  const table = nameTable(options);
  return [
    ...(table.schema === undefined ? [] : [`CREATE SCHEMA IF NOT EXISTS ${table.schema};\n`]),
    create(table),
  ].join("");
}

/**
 * The columns stand from wide to narrow, so that no byte is lost to alignment.
 *
 * An update that changes no indexed column and finds room on its page writes no index (HOT). Leases and counters are
 * written far more often than made, hence the room (`fillfactor`), and hence the index over the minute of the expiry: a
 * renewal within the same minute leaves it alone. No partial index pays: every entry expires, and `WHERE` of an index
 * cannot ask for the time. What has expired is a fifth of the table long before a fifth has changed for autovacuum's
 * default, hence its smaller share.
 */
function create({ name, expiryIndex }: Table): string {
  return `CREATE TABLE IF NOT EXISTS ${name} (
  count bigint NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL,
  expires_minute timestamptz GENERATED ALWAYS AS
    (date_bin('1 minute', expires_at, timestamptz '2000-01-01 00:00:00+00')) STORED,
  leased_until timestamptz,
  granted boolean,
  key text COLLATE "C" PRIMARY KEY,
  holder text,
  value text
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX IF NOT EXISTS ${expiryIndex} ON ${name} (expires_minute);
COMMENT ON TABLE ${name} IS '${tableVersion}';
`;
}
