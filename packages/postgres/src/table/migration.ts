import { readOptions, withDefault } from "@doorcode/core/store";
import { nameRule } from "../check-options.ts";
import { quoteTable, type Table, type TableOptions } from "./table.ts";

/** The name of the store's table when none is given. */
export const defaultTable = "doorcode_entries";

/** The name of the inbox's table when none is given. */
export const defaultInboxTable = "doorcode_inbox";

/** The version of each table, kept as a comment on it. A change of a table needs a new version. */
export const tableVersions = { store: "Doorcode store, version 2", inbox: "Doorcode inbox, version 1" } as const;

/** The tables to create. */
export interface MigrationOptions extends TableOptions {
  /** The name of the inbox's table, in the same schema. Default: `doorcode_inbox`. */
  readonly inboxTable?: string;
}

/** The tables of the package. */
export interface Tables {
  /** The table of the store. */
  readonly store: Table;
  /** The table of the inbox. */
  readonly inbox: Table;
}

const rules = {
  schema: withDefault(nameRule, undefined),
  table: withDefault(nameRule, defaultTable),
  inboxTable: withDefault(nameRule, defaultInboxTable),
};

/**
 * Checks and quotes the names of both tables.
 *
 * @param place - the function that received the options.
 * @throws TypeError for a wrong option.
 */
export function nameTables(place: string, options: MigrationOptions): Tables {
  const { schema, table, inboxTable } = readOptions(place, rules, options);
  return { store: quoteTable(schema, table, "key_digest"), inbox: quoteTable(schema, inboxTable, "key") };
}

/**
 * Writes the SQL that creates the tables of the store and of the inbox, for your own migration tool; {@link migrate} runs
 * the same SQL.
 *
 * It may run again, and leaves tables of this version as they are. A table of the store of version 1 is rewritten, and keeps its
 * entries. It fails with SQLSTATE 42P07 and changes nothing if a name is that of another table, or of another version of the table.
 *
 * @throws TypeError for a wrong option.
 * @example
 * import { migration } from "@doorcode/postgres";
 * process.stdout.write(migration({ schema: "doorcode" }));
 */
export function migration(options: MigrationOptions = {}): string {
  const { store, inbox } = nameTables("migration", options);
  return (
    createSchema(store) +
    shortenKeys(store) +
    refuseOther(store, tableVersions.store) +
    refuseOther(inbox, tableVersions.inbox) +
    createStoreTable(store) +
    createInboxTable(inbox)
  );
}

function createSchema({ schema }: Table): string {
  if (schema === undefined) return "";
  return when(`to_regnamespace(${literal(schema)}) IS NULL`, `CREATE SCHEMA IF NOT EXISTS ${schema};`);
}

/**
 * Makes a store's table of version 1 one of this version. There a key was a text, or, above 1,024 bytes, the SHA-256 of it.
 *
 * The table is rewritten at once and not in parts, because a process would not find an entry that is still to be converted, and a
 * counter that is not found is another attempt. The column has another name, so that processes of both versions refuse the table of
 * the other one.
 */
function shortenKeys({ name }: Table): string {
  return when(
    `obj_description(${find(name)}, 'pg_class') = 'Doorcode store, version 1'`,
    `ALTER TABLE ${name} SET (fillfactor = ${storeFillFactor}), ALTER COLUMN key TYPE uuid USING (
  CASE WHEN starts_with(key, E'\\x01sha256 ') THEN substr(key, 9, 32)
    ELSE substr(encode(sha256(convert_to(key, 'UTF8')), 'hex'), 1, 32) END)::uuid;
ALTER TABLE ${name} RENAME COLUMN key TO key_digest;
COMMENT ON TABLE ${name} IS ${literal(tableVersions.store)};`,
  );
}

/** Stops at a table of that name which is not this version of the table: `IF NOT EXISTS` would take it for ours. */
function refuseOther({ name }: Table, version: string): string {
  const found = find(name);
  return when(
    `${found} IS NOT NULL AND obj_description(${found}, 'pg_class') IS DISTINCT FROM ${literal(version)}`,
    `RAISE EXCEPTION 'A table % exists already, and is not "%": choose another name for the table, or remove it.',
  ${literal(name)}, ${literal(version)} USING ERRCODE = 'duplicate_table';`,
  );
}

/**
 * Writes a block whose statements run under a condition. `IF NOT EXISTS` needs the right to create even where nothing is created, and
 * looks for a table in the first schema of the `search_path` only.
 */
function when(condition: string, statements: string): string {
  const body = `BEGIN IF ${condition} THEN\n${statements}\nEND IF; END`;
  let tag = "doorcode";
  // A name may contain the end of a quotation.
  while (body.includes(`$${tag}$`)) tag += "_";
  return `DO $${tag}$ ${body} $${tag}$;\n`;
}

/** Writes the expression that finds a table, also in a later schema of the `search_path`. */
function find(name: string): string {
  return `to_regclass(${literal(name)})`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * How full, in percent, PostgreSQL makes a page of the store's table by insertions. In busy logins 91 % of the updates stay off the
 * indexes; with 80, 92 %, and a pending login takes 85 bytes more.
 */
const storeFillFactor = 90;

/** The removal of expired entries searches by the minute, so that a renewal within the same minute changes no index. */
const expiryColumns = `expires_at timestamptz NOT NULL,
  expires_minute timestamptz GENERATED ALWAYS AS
    (date_bin('1 minute', expires_at, timestamptz '2000-01-01 00:00:00+00')) STORED`;

/**
 * The columns are ordered from wide to narrow, so that no byte is lost to alignment.
 *
 * An update that changes no indexed column and finds room on its page writes no index (HOT). Leases and counters are
 * updated far more often than inserted: hence the free room, and the index over the minute of the expiry.
 * A partial index would not help: every entry expires, and the condition of an index cannot use the current time. At
 * autovacuum's default, a fifth of the table would be expired rows before it runs: hence its smaller share.
 */
function createStoreTable({ name, index }: Table): string {
  return when(
    `${find(name)} IS NULL`,
    `CREATE TABLE ${name} (
  count bigint NOT NULL DEFAULT 0,
  ${expiryColumns},
  leased_until timestamptz,
  granted boolean,
  key_digest uuid PRIMARY KEY,
  holder text,
  value text
) WITH (fillfactor = ${storeFillFactor}, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX ${index("expiry")} ON ${name} (expires_minute);
COMMENT ON TABLE ${name} IS '${tableVersions.store}';`,
  );
}

/**
 * An entry is `open` until a verdict makes it `done` or `dead`. A worker may take an open entry from `due_at` on. While a
 * worker holds it, `holder` is set and `due_at` is the time from which another worker may take it over. `settled_at` is the
 * time of the last verdict.
 *
 * The partial indexes keep the search for due entries and the list of dead letters fast, however many entries are done.
 */
function createInboxTable({ name, index }: Table): string {
  return when(
    `${find(name)} IS NULL`,
    `CREATE TABLE ${name} (
  due_at timestamptz,
  settled_at timestamptz,
  ${expiryColumns},
  failures integer NOT NULL DEFAULT 0,
  deaths integer NOT NULL DEFAULT 0,
  replayed boolean NOT NULL DEFAULT false,
  state text NOT NULL DEFAULT 'open',
  key text COLLATE "C" PRIMARY KEY,
  holder text,
  error text,
  body text NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX ${index("due")} ON ${name} (due_at) WHERE state = 'open';
CREATE INDEX ${index("dead")} ON ${name} (settled_at) WHERE state = 'dead';
CREATE INDEX ${index("expiry")} ON ${name} (expires_minute);
COMMENT ON TABLE ${name} IS '${tableVersions.inbox}';`,
  );
}
