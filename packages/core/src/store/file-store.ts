import { createRequire } from "node:module";
import type { Clock } from "../util/clock.ts";
import type { Store } from "./store.ts";

const sqlitePackage = "@doorcode/sqlite";

interface SqlitePackage {
  createSqliteStore(options: { readonly file: string; readonly clock: Clock }): Store;
}

/**
 * Opens the store in a file of SQLite. Its package is loaded here and nowhere else, so apps with another store need not have it.
 *
 * @throws TypeError without the package, and what `createSqliteStore` throws
 */
export function openFileStore(file: string, clock: Clock): Store {
  return loadPackage().createSqliteStore({ file, clock });
}

const missingFix =
  `a file needs the package ${sqlitePackage}: run npm install ${sqlitePackage}. If your app is bundled, pass the store instead: ` +
  'createSqliteStore({ file: "./doorcode.sqlite" }).';

/** Without the package, and in a bundle of CommonJS, which has no `import.meta.url`. */
const codesOfMissing: readonly unknown[] = ["MODULE_NOT_FOUND", "ERR_INVALID_ARG_VALUE"];

function loadPackage(): SqlitePackage {
  try {
    // `createDoorcode` answers immediately, which `import()` could not.
    return createRequire(import.meta.url)(sqlitePackage);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && codesOfMissing.includes(error.code);
    if (!isMissing) throw error;
    throw new TypeError(`createDoorcode: store: ${missingFix}`, { cause: error });
  }
}
