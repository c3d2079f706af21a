/** The place of the store's table. */
export interface TableOptions {
  /** The schema of the table. Default: the one in which the connection's `search_path` finds it; a new table comes into the first one. */
  readonly schema?: string;
  /** The name of the table. Default: `doorcode_entries`. */
  readonly table?: string;
}

/** The columns of primary keys: the store's has digests, the inbox's the keys themselves. */
type KeyColumn = "key_digest" | "key";

/** A table, with its names quoted for SQL. */
export interface Table {
  /** The schema; undefined when the connection's `search_path` decides. */
  readonly schema: string | undefined;
  /** The name of the table, with its schema. */
  readonly name: string;
  /** The column of the primary key. */
  readonly key: KeyColumn;
  /** Names an index of the table: the table's name and the ending. */
  index(ending: string): string;
}

/** Quotes the names of a table, which were checked before. */
export function quoteTable(schema: string | undefined, table: string, key: KeyColumn): Table {
  const quotedSchema = schema === undefined ? undefined : quote(schema);
  return {
    schema: quotedSchema,
    name: quotedSchema === undefined ? quote(table) : `${quotedSchema}.${quote(table)}`,
    key,
    index: (ending) => quote(`${table}_${ending}`),
  };
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
