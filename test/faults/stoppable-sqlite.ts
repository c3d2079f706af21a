import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { createSqliteStore } from "@doorcode/sqlite";
import { onTestFinished } from "vitest";
import { endSqliteHolds, setUpSqlite } from "../inbox/inbox-setup.ts";
import { openSqliteFile } from "../inbox/open-engine.ts";
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

    /** Opens the connection that may take the file of a test. */
    function openTaker(file: string): void {
      const database = openSqliteFile(file);
      taker = database;
      onTestFinished(() => database.close());
    }

    return {
      stop: take,
      kill: take,
      start: async () => taker?.exec("COMMIT"),
      readsGoOn: true,
      async openStore({ clock } = {}) {
        const file = join(folder, `${randomUUID()}.sqlite`);
        const store = createSqliteStore({ file, timeoutSeconds, ...(clock && { clock }) });
        onTestFinished(() => store.close());
        openTaker(file);
        const ready = () => untilAnswered(() => store.put("probe", undefined, { ttlSeconds: 1 }));
        return { store, ready, endLeases: async () => endSqliteHolds(file) };
      },
      async openEngine() {
        const setup = await setUpSqlite({ sqlite: { timeoutSeconds } });
        openTaker(setup.place.file);
        return setup;
      },
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
};
