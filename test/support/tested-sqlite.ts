import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createManualClock } from "@doorcode/core/testing";
import { createSqliteStore, type SqliteStore } from "@doorcode/sqlite";
import type { TestedStore } from "./tested-store.ts";

/** Opens a folder of SQLite files: one for each app, with a connection for each of its processes. */
export function openTestedSqlite(): TestedStore {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-sqlite-"));
  const stores: SqliteStore[] = [];

  return {
    name: "SQLite",
    openEntries(appName) {
      const file = join(folder, `${appName}.sqlite`);
      const clock = createManualClock();
      return {
        connect() {
          const store = createSqliteStore({ file, clock });
          stores.push(store);
          return store;
        },
        passTime: (milliseconds) => clock.advance(milliseconds),
        async countEntries() {
          const database = new DatabaseSync(file, { readOnly: true });
          const row = database
            .prepare("SELECT count(*) AS entries FROM doorcode_entries WHERE expires_at > ?")
            .get(clock.now());
          database.close();
          return Number(row?.entries);
        },
      };
    },
    async close() {
      for (const store of stores) await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
