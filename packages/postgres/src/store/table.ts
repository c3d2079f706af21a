/** Where the entries are kept. */
export interface TableOptions {
  /** The schema of the table. Whatever comes first in the connection's `search_path` when left out. */
  readonly schema?: string;
  /** The name of the table; `doorcode_entries` when left out. */
  readonly table?: string;
}

/** The table, checked and quoted. */
export interface Table {
  readonly schema: string | undefined;
  /** As SQL names it. */
  readonly name: string;
  /** The index over what has expired, as SQL names it. */
  readonly expiryIndex: string;
}

/** PostgreSQL cuts names at 63 bytes without a word; the index needs some of them for its ending. */
const maxNameBytes = 50;

/**
 * Checks and quotes the name of the table.
 *
 * @throws TypeError when a name is empty, too long or no text
 */
export function nameTable({ schema, table = "doorcode_entries" }: TableOptions): Table {
  const quotedSchema = schema === undefined ? undefined : quote("schema", schema);
  const quotedTable = quote("table", table);
  return {
    schema: quotedSchema,
    name: quotedSchema === undefined ? quotedTable : `${quotedSchema}.${quotedTable}`,
    expiryIndex: quote("table", table, "_expiry"),
  };
}

function quote(option: string, name: unknown, ending = ""): string {
  const fits = typeof name === "string" && name !== "" && Buffer.byteLength(name) <= maxNameBytes;
  if (!fits || name.includes("\0")) {
    throw new TypeError(`@doorcode/postgres: ${option} must be a name of 1 to ${maxNameBytes} bytes.`);
  }
  return `"${(name + ending).replaceAll('"', '""')}"`;
}
