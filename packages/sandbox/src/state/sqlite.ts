import { SandboxError } from "../sandbox-error.ts";

/** The module that Node brings along. */
export type Sqlite = typeof import("node:sqlite");

/**
 * Loads `node:sqlite` when it is first needed: a sandbox that lives in memory never does.
 *
 * Node 22 warns on load that the module is experimental. That one warning is swallowed, while the module loads and
 * never otherwise: loading is synchronous, so nothing else can warn meanwhile.
 *
 * @throws SandboxError `data_file_unusable` when this Node was built or started without the module.
 */
export function loadSqlite(): Sqlite {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).startsWith("SQLite is an experimental feature")) {
      Reflect.apply(emitWarning, process, [warning, ...rest]);
    }
  };
  try {
    const sqlite: Sqlite | undefined = process.getBuiltinModule("node:sqlite");
    if (sqlite) return sqlite;
  } finally {
    process.emitWarning = emitWarning;
  }
  throw new SandboxError(
    "data_file_unusable",
    "This Node has no node:sqlite: run without a data file, or use another.",
  );
}
