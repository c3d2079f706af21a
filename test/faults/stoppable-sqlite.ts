import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { createSqliteStore } from "@doorcode/sqlite";
import { onTestFinished } from "vitest";
import { endSqliteHolds } from "../inbox/inbox-setup.ts";
import { type EngineOptions, openEngine, openSqliteFile } from "../inbox/open-engine.ts";
import { untilAnswered } from "../support/poll.ts";
import type { ServerKind, StoppableStore } from "./stoppable-server.ts";

/** The tests do not wait for a file that stays away. */
const timeoutSeconds = 0.05;

/** SQLite. It has no server to stop: it is away while another program has the file of the test, and only reads go on. */
export const stoppableSqlite: ServerKind<StoppableStore> = {
  name: "SQLite",
  isInstalled: true,
  async open() {
    const folder = mkdtempSync(join(tmpdir(), "doorcode-faults-"));
    let taker: DatabaseSync | undefined;
    const take = async () => taker?.exec("BEGIN IMMEDIATE");

    /** Names the file of a test, and opens the connection that may take it. */
    function newFile(): string {
      const file = join(folder, `${randomUUID()}.sqlite`);
      createSqliteStore({ file }).close();
      const database = openSqliteFile(file);
      taker = database;
      onTestFinished(() => database.close());
      return file;
    }

    return {
      stop: take,
      kill: take,
      start: async () => taker?.exec("COMMIT"),
      readsGoOn: true,
      async openStore({ clock } = {}) {
        const file = newFile();
        const store = createSqliteStore({ file, timeoutSeconds, ...(clock && { clock }) });
        onTestFinished(() => store.close());
        const ready = () => untilAnswered(() => store.put("probe", undefined, { ttlSeconds: 1 }));
        return { store, ready, endLeases: async () => endSqliteHolds(file) };
      },
      async openEngine(options) {
        const file = newFile();
        const open = (more?: EngineOptions) => {
          const engine = openEngine(
            { kind: "sqlite", file, transactional: false },
            { sqlite: { timeoutSeconds, ...more?.sqlite } },
          );
          onTestFinished(engine.close);
          return engine;
        };
        return { ...open(options), openAnother: open, endHolds: async () => endSqliteHolds(file) };
      },
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
};
