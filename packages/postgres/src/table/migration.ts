import { parseOptions, strictOptions } from "@doorcode/core/store";
import { nameOption } from "../options.ts";
import { nameOf } from "../sql.ts";

/** The name of the store's table when none is given. */
export const defaultTable = "doorcode_entries";

/** The name of the inbox's table when none is given. */
export const defaultInboxTable = "doorcode_inbox";

/** The place of the store's table. */
export interface TableOptions {
  /** The schema of the table. Default: the one in which the connection's `search_path` finds it; a new table comes into the first one. */
  readonly schema?: string;
  /** The name of the table: 1 to 50 letters, digits, _ or -, as that of the schema. Default: `doorcode_entries`. */
  readonly table?: string;
}

/** The tables to create. */
export interface MigrationOptions extends TableOptions {
  /** The name of the inbox's table, in the same schema. Default: `doorcode_inbox`. */
  readonly inboxTable?: string;
}

const optionsShape = strictOptions(
  {
    schema: nameOption.optional(),
    table: nameOption.default(defaultTable),
    inboxTable: nameOption.default(defaultInboxTable),
  },
  '{ schema: "doorcode" }',
);

/**
 * Writes the SQL that creates the tables of the store and of the inbox, for your own migration tool; `migrate` runs the same SQL.
 *
 * It may run again, and leaves tables of this version as they are. It fails with SQLSTATE 42P07 and changes nothing if a name is that of
 * another table, or of another version of the table.
 *
 * @throws TypeError for a wrong option.
 * @example
 * import { migration } from "@doorcode/postgres";
 * process.stdout.write(migration({ schema: "doorcode" }));
 */
export function migration(options: MigrationOptions = {}): string {
  return writeMigration("migration", options);
}

/** Writes the SQL of {@link migration}, for a function that takes the same options. */
export function writeMigration(functionName: string, options: MigrationOptions): string {
  const { schema, table, inboxTable } = parseOptions(functionName, optionsShape, options);
  return createSchema(schema) + createStoreTable(schema, table) + createInboxTable(schema, inboxTable);
}

function createSchema(schema: string | undefined): string {
  if (schema === undefined) return "";
  return `DO $$ BEGIN
IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA IF NOT EXISTS "${schema}"; END IF;
END $$;
`;
}

/**
 * An entry is a value, a counter, a lease, or several of them, until `expires_at`. `key` is the SHA-256 of the key; value and holder are
 * bytes of UTF-8. `granted` is the answer to the newest change of the counter.
 */
function createStoreTable(schema: string | undefined, table: string): string {
  const name = nameOf(schema, table);
  return createTable(
    name,
    "Doorcode store, version 3",
    `CREATE TABLE ${name} (
  key bytea PRIMARY KEY,
  value bytea,
  count bigint NOT NULL DEFAULT 0,
  granted boolean,
  holder bytea,
  leased_until timestamptz,
  expires_at timestamptz NOT NULL
);
CREATE INDEX "${table}_expiry" ON ${name} (expires_at);`,
  );
}

/**
 * An entry is `open` until a verdict makes it `done` or `dead`. A worker may take an open entry from `due_at` on. While a worker holds it,
 * `holder` is set and `due_at` is the time from which another worker may take it over. `settled_at` is the time of the last verdict. `body`
 * and `error` are bytes of UTF-8. The partial indexes keep the search for due entries and the list of dead letters fast, however many
 * entries are done.
 */
function createInboxTable(schema: string | undefined, table: string): string {
  const name = nameOf(schema, table);
  return createTable(
    name,
    "Doorcode inbox, version 2",
    `CREATE TABLE ${name} (
  key text PRIMARY KEY,
  body bytea NOT NULL,
  state text NOT NULL DEFAULT 'open',
  due_at timestamptz,
  holder text,
  failures integer NOT NULL DEFAULT 0,
  deaths integer NOT NULL DEFAULT 0,
  replayed boolean NOT NULL DEFAULT false,
  error bytea,
  settled_at timestamptz,
  expires_at timestamptz NOT NULL
);
CREATE INDEX "${table}_due" ON ${name} (due_at) WHERE state = 'open';
CREATE INDEX "${table}_dead" ON ${name} (settled_at) WHERE state = 'dead';
CREATE INDEX "${table}_expiry" ON ${name} (expires_at);`,
  );
}

/**
 * Writes the block that creates a table unless it exists. `IF NOT EXISTS` would take the table of another program for ours, look into the
 * first schema of the `search_path` only, and need the right to create even where nothing is created. The version is kept as a comment on
 * the table: a change of the columns needs another one.
 */
function createTable(name: string, version: string, statements: string): string {
  return `DO $$ BEGIN
IF to_regclass('${name}') IS NULL THEN
${statements}
COMMENT ON TABLE ${name} IS '${version}';
ELSIF obj_description(to_regclass('${name}'), 'pg_class') IS DISTINCT FROM '${version}' THEN
  RAISE EXCEPTION 'A table % exists already, and is not "%": choose another name for the table, or remove it.',
    '${name}', '${version}' USING ERRCODE = 'duplicate_table';
END IF;
END $$;
`;
}
